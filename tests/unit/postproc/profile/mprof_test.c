// SPDX-License-Identifier: BSD-3-Clause
/* Files of profiles. If this fails, a loaded profile differs from the saved one, or a damaged file is accepted. */
#include "profile/file/mprof.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "../../tap.h"
#include "profile/heatmap.h"
#include "diagnose/diagnosis.h"
#include "profile/profile.h"

#define HEADER_BYTES 16

static char path[64], other[64];

static uint32_t text(struct memphis_profile *profile, const char *string)
{
	return memphis_profile_add_string(profile, string);
}

/* Counters of two processes on one host: the host's counters are kept with the second process, which covers more time. */
static void add_counters(struct memphis_process *process, uint64_t run)
{
	static const char metrics[] =
		"1 io process counter - bytes read bytes\n2 numastat host counter 1 pages other\n"
		"3 vmstat host gauge 0 - load\n0 pcp host lost - - pmcd: gone\n";
	const struct memphis_counter_mark mark = {.time_ns = 500, .region = 1};
	struct memphis_counter_value value = {.took_ns = 3};
	uint32_t i;

	process->counters = calloc(1, sizeof(*process->counters));
	memphis_counters_add_metrics(process->counters, (struct memphis_span){metrics, strlen(metrics)});
	memphis_counters_add_marks(process->counters, &mark, 1);
	for (i = 0; i < 6; i++) {
		value.metric = i % 3 + 1;
		value.time_ns = i < 3 ? 0 : 1000 * run;
		value.value = i < 3 ? 0.5 : 100.25;
		memphis_counters_add_value(process->counters, &value);
	}
	memphis_counters_settle(process->counters);
}

static void add_process(struct memphis_profile *profile, uint64_t run)
{
	static const char settings[] = "command ./model\nhost far\nrank 3\n", metadata[] = "name worker\n";
	struct memphis_process *process =
		memphis_append(profile->processes.list, profile->processes.count, profile->processes.room);
	struct memphis_thread *thread;
	struct memphis_region *region;
	struct memphis_node *node;
	size_t i;

	process->run[0] = run;
	process->run[1] = UINT64_MAX;
	process->pid = 100 + (uint32_t)run;
	process->closed = true;
	process->path = strdup(run == 1 ? "/data/b.1.process.memphis" : "/data/a.2.process.memphis");
	memphis_settings_add(&process->settings, (struct memphis_span){settings, strlen(settings)});
	memphis_settings_add(&process->losses, (struct memphis_span){"write_errors 4\n", 15});
	node = memphis_append(process->nodes, process->node_count, process->node_room);
	node->node = 1;
	node->memory_bytes = 1ull << 40;
	node->cpus = strdup("0-3");
	node->distances = strdup("10,21");
	region = memphis_append(process->regions, process->region_count, process->region_room);
	region->id = 1;
	region->name = strdup("Time\nLoop");
	process->has_maps = true;
	add_counters(process, run);
	for (i = 0; i < 2; i++) {
		thread = memphis_append(process->threads, process->thread_count, process->thread_room);
		thread->path = strdup(i ? "/data/2.thread.memphis" : "/data/1.thread.memphis");
		thread->tid = (uint32_t)i + 7;
		thread->unfinished = i;
		thread->accounting.interrupts = 9;
		thread->accounting.filtered[MEMPHIS_REASONS_MAX - 1] = 2;
		thread->read = thread->samples = 7;
		thread->selected = 5;
		thread->own = 4;
		thread->homes = (struct memphis_homes){6, 3, 2 - i};
		thread->start_time_ns = 1234567890123;
		((struct memphis_region_time *)memphis_append(thread->times, thread->time_count,
							      thread->time_room))[0] =
			(struct memphis_region_time){1, 0, 3 + i, UINT64_MAX,
						     5, 6, 7,     {i, 0, 0, 0, 0, i ? UINT64_MAX : 0}};
		memphis_settings_add(&thread->metadata, (struct memphis_span){metadata, strlen(metadata)});
	}
	profile->timelines =
		realloc(profile->timelines, profile->processes.count * sizeof(*profile->timelines));
	memset(&profile->timelines[profile->processes.count - 1], 0, sizeof(*profile->timelines));
	memphis_timeline_add(&profile->timelines[profile->processes.count - 1], 5000000, 0,
			     MEMPHIS_NODE_UNKNOWN, 1);
	memphis_timeline_add_thread(&profile->timelines[profile->processes.count - 1], 9000000, 1, 0,
				    MEMPHIS_NODE_UNKNOWN, UINT32_MAX);
	memphis_timeline_add_wait(&profile->timelines[profile->processes.count - 1], 9000000, 1,
				  MEMPHIS_WAIT_UNKNOWN, 2, UINT64_MAX);
}

static void add_heatmap(struct memphis_profile *profile, const struct memphis_cell_key *key)
{
	struct memphis_heatmap *heatmap =
		memphis_append(profile->heatmaps, profile->heatmap_count, profile->heatmap_room);

	heatmap->variable = key->variable;
	heatmap->low = 4096;
	heatmap->high = 4096 + 5000;
	heatmap->bin_shift = 6;
	heatmap->to_ns = 1 << 20;
	heatmap->tick_shift = 15;
	heatmap->one_in = 3;
	heatmap->renewed = true;
	heatmap->typed = 9;
	heatmap->contradicted = 2;
	((struct memphis_heatmap_spot *)memphis_append(heatmap->spots, heatmap->spot_count,
						       heatmap->spot_room))[0] =
		(struct memphis_heatmap_spot){78, 31, 0, 1, 9, 8, 0, 0, 0, 0, 0};
	((struct memphis_heatmap_use *)memphis_append(heatmap->uses, heatmap->use_count,
						      heatmap->use_room))[0] =
		(struct memphis_heatmap_use){1, 0, 78, 9, 7, 8, 0, 5, UINT64_MAX, key->instruction};
	((struct memphis_heatmap_use *)memphis_append(heatmap->uses, heatmap->use_count,
						      heatmap->use_room))[0] =
		(struct memphis_heatmap_use){1, 1, 78, 9, 0, 8, 0, UINT64_MAX, 0, MEMPHIS_NONE};
	((struct memphis_heatmap_region *)memphis_append(heatmap->regions, heatmap->region_count,
							 heatmap->region_room))[0] =
		(struct memphis_heatmap_region){key->region, 18, 16, 3};
	((struct memphis_heatmap_store *)memphis_append(heatmap->stores, heatmap->store_count,
							heatmap->store_room))[0] =
		(struct memphis_heatmap_store){key->instruction, 7, 5, UINT64_MAX};
	((struct memphis_heatmap_part *)memphis_append(heatmap->parts, heatmap->part_count,
						       heatmap->part_room))[0] =
		(struct memphis_heatmap_part){text(profile, "[3..4]"), 1, 60, 3, 4, UINT64_MAX};
	((struct memphis_heatmap_latency *)memphis_append(heatmap->latencies, heatmap->latency_count,
							  heatmap->latency_room))[0] =
		(struct memphis_heatmap_latency){8, 59, UINT32_MAX, UINT64_MAX};
	((struct memphis_heatmap_load *)memphis_append(
		heatmap->loads, heatmap->load_count, heatmap->load_room))[0] = (struct memphis_heatmap_load){
		key->instruction,     400, 100, 90, 0, 80, 4, 8, UINT64_MAX, 7, UINT32_MAX,
		MEMPHIS_ORDER_COUNTED};
	((struct memphis_heatmap_field *)memphis_append(heatmap->fields, heatmap->field_count,
							heatmap->field_room))[0] =
		(struct memphis_heatmap_field){text(profile, "velocity.x"), 24, 1, 9, 2, 3, 8};
	((struct memphis_heatmap_word *)memphis_append(heatmap->words, heatmap->word_count,
						       heatmap->word_room))[0] =
		(struct memphis_heatmap_word){64, 1, 1, 7, 4, 5, 6};
}

static void add_evidence(struct memphis_profile *profile, const struct memphis_cell_key *key)
{
	struct memphis_finding *finding =
		memphis_append(profile->evidence, profile->evidence_count, profile->evidence_room);

	*finding = (struct memphis_finding){.pattern = MEMPHIS_PATTERN_PARTITION,
					    .variable = key->variable,
					    .processes = 1,
					    .samples = 1000,
					    .one_in = 3,
					    .home = MEMPHIS_NODE_UNKNOWN,
					    .node = 1,
					    .nodes = {0, 3},
					    .node_count = 2,
					    .apart = true,
					    .apart_odds = -2500,
					    .read_odds = 70,
					    .thread = MEMPHIS_NONE,
					    .touched_by = 1,
					    .thread_share = 0.5,
					    .store_share = -1,
					    .home_share = 0.25,
					    .even_share = 0.125,
					    .instruction = key->instruction,
					    .read_bytes = {8, 7.5, 8.25},
					    .initialised = MEMPHIS_INITIALISED_SEVERAL,
					    .initialised_at = key->instruction,
					    .usual = key->instruction,
					    .regions = {{key->region, 0.75}},
					    .region_count = 1,
					    .lines = 4,
					    .line_threads = 5,
					    .moves = 7,
					    .reused = true,
					    .small_blocks = true,
					    .reused_of = key->variable,
					    .fields = {text(profile, "velocity.x")},
					    .element_bytes = 24,
					    .low = 4096,
					    .ranges = {{4096, 8192, 0, 1, 300},
						       {8192, 9000, 1, 0, 200},
						       {9000, 9001, 0, 1, 1},
						       {9001, UINT64_MAX, 1, 0, 2}},
					    .range_count = 9};
	profile->processes.list[0].heatmaps = 5;
}

/* A profile of one process. */
static void make(struct memphis_profile *profile, uint64_t run)
{
	struct memphis_object object = {.state = MEMPHIS_BINARY_MISSING, .unverified = true};
	struct memphis_profile_frame frames[2] = {{.line = 7}, {.line = 8}};
	struct memphis_variable variable = {0};
	struct memphis_cell cell = {.measure.count = run,
				    .measure.accesses = 1ull << 63,
				    .measure.low = 16,
				    .measure.high = UINT64_MAX};

	memset(profile, 0, sizeof(*profile));
	strcpy(profile->selection, "all");
	profile->by_region = profile->by_thread = true;
	add_process(profile, run);
	text(profile, "nobody refers to this");
	object.path = text(profile, run == 1 ? "/bin/model" : "/bin/another");
	variable.segment = text(profile, "heap");
	variable.name = text(profile, "tx\xff");
	frames[0].path = text(profile, "ice.F90");
	frames[1].function = text(profile, run == 1 ? "step" : "run");
	cell.key.variable = memphis_profile_add_variable(profile, &variable);
	cell.key.instruction = memphis_profile_add_instruction(
		profile, memphis_profile_add_object(profile, &object), 0x1000, frames, 2);
	memphis_profile_set_type(profile, cell.key.instruction, text(profile, "Edge"),
				 text(profile, "Edge.to"), 0);
	memphis_profile_set_called(profile, cell.key.instruction, text(profile, "memcpy"));
	cell.key.region = memphis_profile_add_region(
		profile, text(profile, "Bound"),
		memphis_profile_add_region(profile, text(profile, "TimeLoop"), MEMPHIS_REGION_OUTSIDE));
	profile->regions[cell.key.region].written = 3;
	cell.key.thread = 1;
	cell.key.access = (struct memphis_access){0, MEMPHIS_NODE_UNKNOWN, MEMPHIS_SOURCE_DRAM, 5};
	memphis_profile_add_cell(profile, &cell);
	cell.key.instruction = memphis_profile_add_instruction(profile, MEMPHIS_NONE, UINT64_MAX, frames, 1);
	/* Only one of two profiles has the type: the binary was not there when the other one was made. */
	memphis_profile_set_type(profile, cell.key.instruction, run == 2 ? text(profile, "Node") : 0,
				 run == 2 ? text(profile, "Node.next") : 0,
				 run == 2 ? 0 : MEMPHIS_NO_TYPE_BINARY);
	memphis_profile_add_cell(profile, &cell);
	memphis_totals_get(&profile->totals, 0, 1, cell.key.access)->measure.count = run;
	add_heatmap(profile, &cell.key);
	add_evidence(profile, &cell.key);
}

static char *contents(const char *name, size_t *bytes)
{
	FILE *stream = fopen(name, "r");
	char *all = malloc(1 << 20);

	*bytes = fread(all, 1, 1 << 20, stream);
	fclose(stream);
	return all;
}

static void write_file(const char *name, const void *bytes, size_t count)
{
	FILE *stream = fopen(name, "w");

	fwrite(bytes, 1, count, stream);
	fclose(stream);
}

static bool same_files(const char *a, const char *b)
{
	size_t a_bytes, b_bytes;
	char *x = contents(a, &a_bytes), *y = contents(b, &b_bytes);
	bool same = a_bytes == b_bytes && a_bytes > HEADER_BYTES && !memcmp(x, y, a_bytes);

	free(x);
	free(y);
	return same;
}

static int load(const char *name, struct memphis_error *error)
{
	struct memphis_profile profile = {0};
	int rc = memphis_mprof_load(&profile, name, error);

	memphis_profile_close(&profile);
	return rc;
}

static void comes_back(void)
{
	struct memphis_profile profile, loaded = {0};
	const struct memphis_process *process;
	const struct memphis_thread *thread;
	const struct memphis_counter_metric *metric;
	const struct memphis_heatmap *heatmap;
	const struct memphis_finding *finding;
	const struct memphis_cell *cell;
	struct memphis_error error;

	make(&profile, 1);
	ok(!memphis_profile_order(&profile), "a profile is put in order");
	ok(!memphis_mprof_save(&profile, path, &error), "a profile is saved");
	ok(memphis_mprof_is(path), "the file is recognised as a profile");
	ok(!memphis_mprof_load(&loaded, path, &error), "a profile is loaded");
	process = &loaded.processes.list[0];
	thread = &process->threads[1];
	cell = &loaded.cells[0];
	ok(loaded.processes.count == 1 && process->run[1] == UINT64_MAX && process->pid == 101 &&
		   process->closed && process->node_count == 1 && process->has_maps &&
		   process->nodes[0].memory_bytes == 1ull << 40 && !strcmp(process->nodes[0].cpus, "0-3"),
	   "a loaded process equals the saved one");
	is_text(memphis_setting(&process->settings, "command"), "./model",
		"the settings of a process are loaded");
	is_text(memphis_setting(&process->losses, "write_errors"), "4", "the losses of a process are loaded");
	is_text(process->regions[0].name, "Time\nLoop", "names of regions keep every byte");
	ok(process->thread_count == 2 && thread->tid == 8 && thread->unfinished && !thread->closed &&
		   thread->accounting.interrupts == 9 &&
		   thread->accounting.filtered[MEMPHIS_REASONS_MAX - 1] == 2 && thread->read == 7 &&
		   thread->own == 4 && thread->homes.known == 6 && thread->homes.remote_at_home == 3 &&
		   thread->homes.local_away == 1 && thread->selected == 5 &&
		   thread->start_time_ns == 1234567890123,
	   "loaded threads equal the saved ones, with their accounting");
	ok(thread->time_count == 1 && thread->times[0].region == 1 && thread->times[0].calls == 4 &&
		   thread->times[0].ns == UINT64_MAX && thread->times[0].cpu_ns == 5 &&
		   thread->times[0].cycles == 6 && thread->times[0].instructions == 7,
	   "the calls and times of regions are loaded");
	is_text(thread->path, "/data/2.thread.memphis", "the paths of thread files are loaded");
	ok(loaded.cell_count == 2 && cell->measure.count == 1 && cell->measure.accesses == 1ull << 63 &&
		   cell->measure.low == 16 && cell->measure.high == UINT64_MAX && cell->key.thread == 1 &&
		   cell->key.access.home == MEMPHIS_NODE_UNKNOWN && cell->key.access.flags == 5,
	   "loaded cells equal the saved ones");
	is_text(memphis_profile_text(&loaded, loaded.variables[cell->key.variable].name), "tx\xff",
		"names of variables need not be UTF-8");
	ok(loaded.instructions[loaded.cells[1].key.instruction].object == MEMPHIS_NONE &&
		   loaded.instructions[loaded.cells[1].key.instruction].pc == UINT64_MAX,
	   "instructions without a binary are loaded");
	is_text(memphis_profile_text(&loaded, loaded.instructions[cell->key.instruction].member), "Edge.to",
		"the members that instructions access are loaded");
	is_text(memphis_profile_text(&loaded, loaded.instructions[cell->key.instruction].called), "memcpy",
		"the names by which instructions call others are loaded");
	is(loaded.instructions[loaded.cells[1].key.instruction].no_type, MEMPHIS_NO_TYPE_BINARY,
	   "the reasons why types are unknown are loaded");
	ok(loaded.heatmaps[0].typed == 9 && loaded.heatmaps[0].contradicted == 2,
	   "heatmaps are loaded with contradictions of types");
	ok(loaded.strings.count == profile.strings.count && loaded.objects[0].unverified,
	   "strings and objects are loaded");
	ok(loaded.timelines[0].count == 1 && loaded.timelines[0].width_ns == MEMPHIS_TICK_FIRST_NS &&
		   loaded.timelines[0].list[0].ticks[4] == 1,
	   "timelines are loaded");
	ok(loaded.timelines[0].thread_count == 1 && loaded.timelines[0].threads[0].thread == 1 &&
		   loaded.timelines[0].threads[0].home == MEMPHIS_NODE_UNKNOWN &&
		   loaded.timelines[0].threads[0].steps[1] == UINT32_MAX &&
		   loaded.timelines[0].wait_count == 1 && loaded.timelines[0].waits[0].node == 1 &&
		   loaded.timelines[0].waits[0].source == MEMPHIS_WAIT_UNKNOWN &&
		   loaded.timelines[0].waits[0].counts[1] == 2 &&
		   loaded.timelines[0].waits[0].cycles[1] == UINT64_MAX,
	   "threads and waiting over time are loaded");
	heatmap = &loaded.heatmaps[0];
	ok(loaded.heatmap_count == 1 && heatmap->one_in == 3 && heatmap->renewed && heatmap->high == 9096 &&
		   heatmap->spots[0].bin == 78 && heatmap->uses[1].first_ns == UINT64_MAX &&
		   heatmap->parts[0].node == 1 && heatmap->parts[0].count == 60 &&
		   heatmap->parts[0].first == 3 && heatmap->parts[0].last == 4 &&
		   heatmap->parts[0].elements == UINT64_MAX && heatmap->latency_count == 1 &&
		   heatmap->latencies[0].source == 8 && heatmap->latencies[0].bin == 59 &&
		   heatmap->latencies[0].count == UINT32_MAX && heatmap->latencies[0].cycles == UINT64_MAX &&
		   !strcmp(memphis_profile_text(&loaded, heatmap->parts[0].name), "[3..4]") &&
		   heatmap->fields[0].hitm == 3 && heatmap->words[0].word == 7,
	   "heatmaps are loaded");
	ok(heatmap->use_count == 2 && heatmap->uses[0].first_store == loaded.cells[1].key.instruction &&
		   heatmap->uses[0].first_store_ns == UINT64_MAX &&
		   heatmap->uses[1].first_store == MEMPHIS_NONE,
	   "heatmaps are loaded with the instructions of first stores");
	ok(heatmap->region_count == 1 && heatmap->regions[0].region == cell->key.region &&
		   heatmap->regions[0].count == 18 && heatmap->regions[0].remote == 16 &&
		   heatmap->regions[0].hitm == 3,
	   "heatmaps are loaded with the regions of samples");
	ok(heatmap->store_count == 1 && heatmap->stores[0].count == 7 &&
		   heatmap->stores[0].instruction == loaded.cells[1].key.instruction &&
		   heatmap->stores[0].first_ns == 5 && heatmap->stores[0].last_ns == UINT64_MAX,
	   "heatmaps are loaded with storing instructions and their times");
	ok(heatmap->load_count == 1 && heatmap->loads[0].instruction == loaded.cells[1].key.instruction &&
		   heatmap->loads[0].count == 400 && heatmap->loads[0].fetched == 100 &&
		   heatmap->loads[0].selected == 90 && heatmap->loads[0].lines == 80 &&
		   heatmap->loads[0].narrowest == 4 && heatmap->loads[0].widest == 8 &&
		   heatmap->loads[0].bytes == UINT64_MAX && heatmap->loads[0].others == 7 &&
		   heatmap->loads[0].others_widest == UINT32_MAX,
	   "heatmaps are loaded with loads by source line");
	is_text(memphis_profile_text(&loaded, heatmap->fields[0].name), "velocity.x",
		"heatmaps are loaded with the names of fields");
	finding = &loaded.evidence[0];
	ok(loaded.evidence_count == 1 && finding->pattern == MEMPHIS_PATTERN_PARTITION &&
		   finding->variable == cell->key.variable && finding->process == 0 &&
		   finding->samples == 1000 && finding->one_in == 3 &&
		   finding->home == MEMPHIS_NODE_UNKNOWN && finding->node == 1 && finding->node_count == 2 &&
		   finding->nodes[1] == 3 && finding->apart && finding->apart_odds == -2500 &&
		   finding->read_odds == 70 && finding->thread == MEMPHIS_NONE && finding->touched_by == 1,
	   "the evidence of findings is loaded");
	ok(finding->thread_share == 0.5 && finding->store_share == -1 && finding->home_share == 0.25 &&
		   finding->even_share == 0.125 && finding->initialised == MEMPHIS_INITIALISED_SEVERAL &&
		   finding->initialised_at == loaded.cells[1].key.instruction &&
		   finding->usual == loaded.cells[1].key.instruction && finding->lines == 4 &&
		   finding->line_threads == 5 && finding->moves == 7 && finding->reused &&
		   finding->small_blocks && finding->reused_of == finding->variable &&
		   finding->element_bytes == 24 && finding->low == 4096,
	   "evidence is loaded with all of its numbers");
	ok(finding->instruction == loaded.cells[1].key.instruction && finding->read_bytes.value == 8 &&
		   finding->read_bytes.low == 7.5 && finding->read_bytes.high == 8.25,
	   "evidence is loaded with its source line and the bytes that it reads");
	ok(finding->region_count == 1 && finding->regions[0].region == cell->key.region &&
		   finding->regions[0].share == 0.75 && finding->range_count == 9 &&
		   finding->ranges[3].high == UINT64_MAX && finding->ranges[1].home == 1 &&
		   finding->ranges[1].node == 0 && finding->ranges[1].remote == 200,
	   "evidence is loaded with regions and ranges");
	is_text(memphis_profile_text(&loaded, finding->fields[0]), "velocity.x",
		"evidence is loaded with the names of fields");
	ok(process->heatmaps == 5 && !process->unjudged,
	   "the number of heatmaps that were searched for evidence is loaded");
	metric = &process->counters->metrics[0];
	ok(process->counters->metric_count == 4 && process->counters->width_ns == MEMPHIS_TICK_FIRST_NS &&
		   metric->readings == 2 && metric->covered_ns == 1000 && metric->took_ns == 6 &&
		   metric->took_most_ns == 3 && !metric->host && metric->node == MEMPHIS_NODE_UNKNOWN,
	   "counters are loaded");
	ok(metric->cell_count == 2 && metric->cells[1].region == 1 && metric->cells[1].covered_ns == 500 &&
		   metric->cells[1].sum == 49.875 && metric->cells[1].shared == 49.875 &&
		   metric->bins[0].sum == 99.75 && metric->bins[0].covered_ns == 1000,
	   "counters are loaded with their values by region and by time");
	metric = &process->counters->metrics[2];
	ok(metric->kind == MEMPHIS_COUNTER_GAUGE && metric->host && metric->node == 0 &&
		   metric->cells[1].high == 100.25 && metric->cells[0].low == 0.5,
	   "gauges are loaded");
	metric = &process->counters->metrics[3];
	ok(metric->kind == MEMPHIS_COUNTER_LOST && !strcmp(metric->source, "pcp") &&
		   !strcmp(metric->name, "pmcd: gone"),
	   "lost counters are loaded");
	ok(!memphis_mprof_save(&loaded, other, &error) && same_files(path, other),
	   "a loaded profile is saved to an identical file");
	memphis_profile_close(&profile);
	memphis_profile_close(&loaded);
}

static void in_any_order(void)
{
	struct memphis_profile one, two, from;
	struct memphis_error error;

	make(&one, 1);
	make(&from, 2);
	ok(!memphis_profile_merge(&one, &from, &error) && !memphis_profile_order(&one) &&
		   !memphis_mprof_save(&one, path, &error),
	   "a second profile is merged into a first one");
	make(&two, 2);
	make(&from, 1);
	ok(!memphis_profile_merge(&two, &from, &error) && !memphis_profile_order(&two) &&
		   !memphis_mprof_save(&two, other, &error),
	   "the first profile is merged into the second one");
	ok(same_files(path, other), "the order of merging does not change the file");
	is_text(memphis_profile_text(&two, two.instructions[two.instruction_count - 1].member), "Node.next",
		"a type is kept that only one of two profiles has");
	is_text(two.processes.list[0].path, "/data/a.2.process.memphis", "processes are sorted by path");
	ok(two.processes.list[0].counters->metric_count == 4 &&
		   two.processes.list[1].counters->metric_count == 2,
	   "the counters of a host are kept once");
	memphis_profile_close(&one);
	memphis_profile_close(&two);
	make(&one, 1);
	memphis_profile_order(&one);
	memphis_mprof_save(&one, other, &error);
	ok(memphis_mprof_load(&one, other, &error) == -EINVAL &&
		   strstr(error.text, "process 101 is in here and in what was given before"),
	   "a process that is already in the profile is refused");
	memphis_profile_close(&one);
}

/* Returns whether loading these bytes fails with a message that names the file. */
static bool refused(const void *bytes, size_t count)
{
	struct memphis_error error = {""};

	write_file(other, bytes, count);
	return load(other, &error) < 0 && !strncmp(error.text, other, strlen(other));
}

/* Some bits of a compressed file have no effect: if a damaged file is loaded, the profile must equal the saved one. */
static bool unchanged(void)
{
	struct memphis_profile profile = {0};
	struct memphis_error error;
	bool same = !memphis_mprof_load(&profile, other, &error) &&
		    !memphis_mprof_save(&profile, other, &error) && same_files(path, other);

	memphis_profile_close(&profile);
	return same;
}

static void damaged(void)
{
	size_t bytes, i, wrong = 0, refusals = 0;
	struct memphis_error error;
	char *good = contents(path, &bytes), *bad = malloc(bytes + 1);

	for (i = 0; i < bytes; i++)
		wrong += !refused(good, i);
	ok(!wrong, "a truncated file is refused, and the message names it");
	for (i = 0, wrong = 0; i < bytes; i++) {
		memcpy(bad, good, bytes);
		bad[i] = (char)~bad[i];
		if (refused(bad, bytes))
			refusals++;
		else
			wrong += !unchanged();
	}
	ok(!wrong && refusals > bytes - 8, "a file with any byte changed is refused, or loaded unchanged");
	memcpy(bad, good, bytes);
	bad[bytes] = 0;
	ok(refused(bad, bytes + 1), "a file with bytes after its end is refused");
	bad[8] = 2;
	write_file(other, bad, bytes);
	ok(load(other, &error) == -EPROTONOSUPPORT && strstr(error.text, "a profile of version 2, and this"),
	   "a file of a newer version has its own error");
	free(good);
	free(bad);
}

/*
 * Changes each byte of the uncompressed content, and compresses it again with a valid checksum. Wrong values may be loaded; they
 * must not cause an invalid access.
 */
static void changed_inside(void)
{
	static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	size_t bytes, plain_bytes, i, j, count, refusals = 0, tried = 0;
	char *good = contents(path, &bytes), *plain = malloc(1 << 20), *packed = malloc(1 << 20), kept;
	struct memphis_error error;

	plain_bytes = ZSTD_decompress(plain, 1 << 20, good + HEADER_BYTES, bytes - HEADER_BYTES);
	ok(!ZSTD_isError(plain_bytes) && plain_bytes > 500, "the content of a profile is decompressed");
	memcpy(packed, good, HEADER_BYTES);
	for (i = 0; i < plain_bytes; i++) {
		kept = plain[i];
		for (j = 0; j < sizeof(values); j++) {
			plain[i] = (char)values[j];
			count = ZSTD_compress(packed + HEADER_BYTES, (1 << 20) - HEADER_BYTES, plain,
					      plain_bytes, 1);
			write_file(other, packed, HEADER_BYTES + count);
			refusals += load(other, &error) < 0;
			tried++;
		}
		plain[i] = kept;
	}
	ok(tried > 2500 && refusals > tried / 4,
	   "any byte of the content may be changed to five values without harm");
	free(good);
	free(plain);
	free(packed);
}

int main(void)
{
	struct memphis_error error;

	snprintf(path, sizeof(path), "/tmp/mprof_test.%d.a", (int)getpid());
	snprintf(other, sizeof(other), "/tmp/mprof_test.%d.b", (int)getpid());
	comes_back();
	in_any_order();
	damaged();
	changed_inside();
	unlink(path);
	unlink(other);
	ok(load(path, &error) == -ENOENT, "a missing file has its own error");
	write_file(path, "samples, or what", 16);
	ok(load(path, &error) == -EBADMSG && strstr(error.text, "no profile (.mprof)"),
	   "a file of another kind is refused");
	ok(!memphis_mprof_is(path), "a file of another kind is not recognised as a profile");
	unlink(path);
	return finish();
}
