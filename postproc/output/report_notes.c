// SPDX-License-Identifier: BSD-3-Clause
/* Notes of the report about limitations of its data that come from the input files or the recording machines. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/heatmap.h"
#include "analyse/inputs.h"
#include "output/output.h"
#include "read/process_name.h"
#include "read/thread.h"

#define NAMED 3 /* maximum number of processes or hosts that a note lists by name */

#define FULL     "the limit on records was reached, or a buffer was full"
#define NO_TRACE "not recorded: a buffer was full; traces lack them"

/*
 * Counts of what a process lost. A note has the count, `one` or `many` after it, and then `text`. If `one` is NULL, the
 * value is no count but says that the text applies.
 */
static const struct loss {
	const char *key, *one, *many, *text;
} losses[] = {
	{"samples_lost_by_perf", "sample was", "samples were",
	 "lost by perf in threads that are unknown or left out"},
	{"samples_left_out", "sample is", "samples are",
	 "left out: from processes without kept samples or sample files, such as the kernel, perf itself, or launchers"},
	{"compressed_end_lost", NULL, NULL,
	 "the end of what perf compressed is missing, up to 128 KiB of records: perf does not always write it; record without -z"},
	{"allocations_left_out", "allocation was", "allocations were", "not recorded: " FULL},
	{"releases_left_out", "release of a block was", "releases of blocks were",
	 "not recorded: a block may seem to live too long"},
	{"small_blocks_left_out", "small block was", "small blocks were", "not recorded: " FULL},
	{"stacks_left_out", "allocation was", "allocations were",
	 "recorded without a call stack: the limit on distinct stacks was reached"},
	{"regions_left_out", "caliper was", "calipers were",
	 "counted for the enclosing region: the limit on regions was reached"},
	{"region_changes_left_out", "change of region was", "changes of region were",
	 "not recorded: samples by perf may have the previous region"},
	{"spans_lost", "span of a caliper was", "spans of calipers were", NO_TRACE},
	{"mpi_events_lost", "message or collective call was", "messages and collective calls were", NO_TRACE},
	{"spans_left_out", "span of a caliper was", "spans of calipers were",
	 "not recorded: the limit on spans was reached (MEMPHIS_SPANS_MAX); traces lack them"},
	{"calipers_too_deep", "caliper was", "calipers were",
	 "nested too deeply, and counted for the enclosing region"},
	{"calipers_left", "caliper was", "calipers were",
	 "never ended (longjmp, return or exception), but closed by the next begin of the same one"},
	{"names_left_out", "explicit name was", "explicit names were", "not recorded"},
	{"threads_unsampled", "thread could", "threads could", "not be sampled"},
	{"writers_not_made", NULL, NULL,
	 "no companion could be made (PID namespace, `ulimit -u`): samples beyond what rings hold were lost"},
	{"ends_unseen", NULL, NULL,
	 "not recorded after a call that confines the process (seccomp, landlock)"},
	{"write_errors", "file was", "files were", "abandoned because a write failed"},
	{"bytes_left_out", "byte", "bytes", "could not be written to the files"},
	{"jit_bytes_left_out", "byte of descriptions of code made at run time was",
	 "bytes of descriptions of code made at run time were",
	 "not kept: some of its functions have no names"},
	{"holders_left_out", "byte of static memory was", "bytes of static memory were",
	 "not searched for pointers to blocks"},
	{"counters_values_left_out", "reading of a counter was", "readings of counters were",
	 "not recorded: a buffer was full"},
	{"counters_marks_left_out", "change of caliper was", "changes of caliper were",
	 "not recorded for counters: a buffer was full"},
	{"counters_metrics_left_out", "counter was", "counters were",
	 "not read: the limit on metrics was reached; name fewer"},
	{"counters_readings_late", "reading of counters", "readings of counters",
	 "took longer than the interval between readings"},
};

/* Settings whose value is the name of an allocator or of functions whose blocks or maps the library could not track. */
static const struct allocator {
	const char *key, *text;
} allocators[] = {
	{"allocator_ahead",
	 ": blocks of malloc() were not tracked, and have no names: its functions take precedence over the library's; start the program with memphis record, or link -lmemphis before it; if the allocator is linked into the program, use its shared library instead"},
	{"maps_ahead",
	 ": maps of mmap() were not tracked, and have no names: its function takes precedence over the library's"},
	{"maps_bypassed",
	 ": maps of these functions were not tracked, and have no names, since another library overwrote them in memory, and its own don't call syscall(); switch its memory hooks off"},
	{"allocator_sizeless",
	 ": blocks of malloc() were not tracked, and have no names: it has no malloc_usable_size() of its own, which the library needs; use an allocator that has one"},
	{"allocator_operators",
	 ": blocks of operator new were not tracked, and have no names: its own operators don't call malloc(); blocks of malloc() are tracked"},
};

/* The processes to which a note applies. */
struct affected {
	const struct memphis_process *first[NAMED];
	size_t count;
	uint64_t sum; /* sum over these processes, for example of their losses */
};

static void add_affected(struct affected *affected, const struct memphis_process *process, uint64_t number)
{
	if (affected->count < NAMED)
		affected->first[affected->count] = process;
	affected->count++;
	affected->sum += number;
}

/* Appends "process 4711", or "3 processes (rank 0 on host n01, rank 7 on host n02, ...)". */
static void put_affected(struct memphis_text *notes, const struct memphis_processes *processes,
			 const struct affected *affected)
{
	const bool hosts = memphis_processes_of_hosts(processes);
	size_t i;

	if (affected->count > 1)
		memphis_text_print(notes, "%zu processes (", affected->count);
	for (i = 0; i < NAMED && i < affected->count; i++) {
		memphis_text_put(notes, i ? ", " : "");
		if (hosts)
			memphis_process_name(notes, affected->first[i]);
		else
			memphis_text_print(notes, affected->count > 1 ? "%" PRIu32 : "process %" PRIu32,
					   affected->first[i]->pid);
	}
	if (affected->count > 1)
		memphis_text_put(notes, affected->count > NAMED ? ", ...)" : ")");
}

static void note_affected(struct memphis_text *notes, const struct memphis_processes *processes,
			  const struct affected *affected, const char *text)
{
	if (!affected->count)
		return;
	put_affected(notes, processes, affected);
	memphis_text_print(notes, ": %s\n", text);
}

static void note_loss(struct memphis_text *notes, const struct memphis_processes *processes,
		      const struct loss *loss)
{
	struct affected affected = {.count = 0};
	uint64_t number;
	size_t i;

	for (i = 0; i < processes->count; i++) {
		number = memphis_setting_number(&processes->list[i].losses, loss->key, 0);
		if (number)
			add_affected(&affected, &processes->list[i], number);
	}
	if (!affected.count)
		return;
	put_affected(notes, processes, &affected);
	memphis_text_put(notes, ": ");
	if (loss->one)
		memphis_text_print(notes, "%" PRIu64 " %s ", affected.sum,
				   affected.sum == 1 ? loss->one : loss->many);
	memphis_text_print(notes, "%s\n", loss->text);
}

static size_t count_open_files(const struct memphis_process *process)
{
	size_t open = 0, i;

	for (i = 0; i < process->thread_count; i++)
		open += !process->threads[i].closed;
	return open;
}

static void note_killed(struct memphis_text *notes, const struct memphis_processes *processes)
{
	struct affected affected = {.count = 0};
	size_t unclosed = 0, threads = 0, open, i;
	const char *comma = "";

	for (i = 0; i < processes->count; i++) {
		const struct memphis_process *process = &processes->list[i];

		open = count_open_files(process);
		if ((process->closed && !open) || memphis_process_has_executed(process))
			continue;
		add_affected(&affected, process, open);
		unclosed += !process->closed;
		threads += memphis_process_threads(process);
	}
	if (!affected.count)
		return;
	put_affected(notes, processes, &affected);
	memphis_text_put(notes,
			 affected.count > 1 ? " were killed or still run: " : " was killed or still runs: ");
	if (unclosed) {
		if (affected.count > 1)
			memphis_text_print(notes, "%zu process file%s not closed", unclosed,
					   unclosed > 1 ? "s were" : " was");
		else
			memphis_text_put(notes, "its process file was not closed");
		comma = ", ";
	}
	if (affected.sum)
		memphis_text_print(notes, "%sthe files of %" PRIu64 " of %zu threads were not closed", comma,
				   affected.sum, threads);
	memphis_text_print(notes, "; the contents of %s rings are missing\n",
			   affected.count > 1 ? "their" : "its");
}

/* Writes one line for all processes that have the same allocator as process number `first`. Marks these processes as seen. */
static void note_allocator(struct memphis_text *notes, const struct memphis_processes *processes,
			   const struct allocator *allocator, size_t first, bool *seen)
{
	const char *object = memphis_setting(&processes->list[first].settings, allocator->key), *other;
	struct affected affected = {.count = 0};
	size_t i;

	for (i = first; i < processes->count; i++) {
		other = memphis_setting(&processes->list[i].settings, allocator->key);
		if (!other || strcmp(object, other) != 0)
			continue;
		seen[i] = true;
		add_affected(&affected, &processes->list[i], 0);
	}
	put_affected(notes, processes, &affected);
	memphis_text_print_plain(notes, ": %s%s\n", object, allocator->text);
}

static void note_allocators(struct memphis_text *notes, const struct memphis_processes *processes)
{
	bool *seen = malloc(processes->count + 1);
	size_t i, j;

	for (i = 0; seen && i < sizeof(allocators) / sizeof(*allocators); i++) {
		memset(seen, 0, processes->count + 1);
		for (j = 0; j < processes->count; j++)
			if (!seen[j] && memphis_setting(&processes->list[j].settings, allocators[i].key))
				note_allocator(notes, processes, &allocators[i], j, seen);
	}
	notes->failed |= !seen;
	free(seen);
}

/*
 * Without the module, each thread has its own perf event. perf then shortens the period of a filtered event
 * whenever it stops the event (docs/hardware.md).
 */
#define BIASED                                                                                                    \
	"MEMPHIS_HARDWARE_FILTER was used without the module: counts of rare loads are too high in threads that " \
	"are interrupted often, and so are estimates from them"

#define UNCOUNTED "cycles and instructions of regions were not counted, or not in all threads: "

/*
 * Settings that limit what the samples show. A note applies to a process if both keys have the given values.
 * A key that is NULL is not checked.
 */
static const struct limit {
	const char *key, *value, *other_key, *other_value, *text;
} limits[] = {
	{"mode", "attached", NULL, NULL,
	 "attached while running: allocations are not known, and blocks have no names"},
	{"cpus", "unknown", NULL, NULL,
	 "perf recorded no CPU with the samples, so that their nodes are unknown: record with --sample-cpu"},
	{"uncounted", "kernel", NULL, NULL,
	 "perf dropped the samples of the kernel without a count, because kernel.perf_event_paranoid is 2: interrupts are those outside the kernel"},
	{"region_counters_refused", "absent", NULL, NULL,
	 UNCOUNTED "the machine, or its hypervisor, offers no counters of them"},
	{"region_counters_refused", "unreadable", NULL, NULL,
	 UNCOUNTED
	 "the kernel does not let programs read them without a system call (/sys/bus/event_source/devices/cpu/rdpmc)"},
	{"region_counters_refused", "forbidden", NULL, NULL,
	 UNCOUNTED
	 "kernel.perf_event_paranoid must be at most 2, and kernel.perf_event_mlock_kb suffice for 4 kB per counter and thread; or sample through the module, which needs neither"},
	{"region_counters_refused", "shared", NULL, NULL,
	 "cycles, instructions and events of regions are too low: other users of the counters took turns with them"},
	{"region_counters_refused", "failed", NULL, NULL, UNCOUNTED "perf_event_open(2) failed"},
	{"hardware_filter", "l3-miss", NULL, NULL,
	 "the hardware sampled only loads that missed the L3 (MEMPHIS_HARDWARE_FILTER): stores and hits in caches are in no count, and shares are those of such loads"},
	{"hardware_filter", "latency", NULL, NULL,
	 "the hardware sampled only loads that missed the L3 and took longer than its threshold (MEMPHIS_HARDWARE_FILTER): stores, hits in caches and faster loads are in no count, and shares are those of slow loads"},
	{"hardware_filter", "l3-miss", "sampler", "task", BIASED},
	{"hardware_filter", "latency", "sampler", "task", BIASED},
};

static bool has_value(const struct memphis_process *process, const char *key, const char *value)
{
	const char *own = key ? memphis_setting(&process->settings, key) : NULL;

	return !key || (own && !strcmp(own, value));
}

static void note_limits(struct memphis_text *notes, const struct memphis_processes *processes)
{
	const struct limit *limit;
	struct affected affected;
	size_t i;

	for (limit = limits; limit < limits + sizeof(limits) / sizeof(*limits); limit++) {
		affected = (struct affected){.count = 0};
		for (i = 0; i < processes->count; i++)
			if (has_value(&processes->list[i], limit->key, limit->value) &&
			    has_value(&processes->list[i], limit->other_key, limit->other_value))
				add_affected(&affected, &processes->list[i], 0);
		note_affected(notes, processes, &affected, limit->text);
	}
}

static void note_processes(struct memphis_text *notes, const struct memphis_processes *processes)
{
	struct affected threadless = {.count = 0}, mapless = {.count = 0};
	const struct memphis_process *process;
	size_t i;

	note_killed(notes, processes);
	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		if (!memphis_process_threads(process))
			add_affected(&threadless, process, 0);
		if (!process->has_maps)
			add_affected(&mapless, process, 0);
	}
	note_limits(notes, processes);
	note_allocators(notes, processes);
	for (i = 0; i < sizeof(losses) / sizeof(*losses); i++)
		note_loss(notes, processes, &losses[i]);
	note_affected(notes, processes, &threadless, "there are no thread files");
	note_affected(notes, processes, &mapless,
		      "there is no list of maps; nothing has lines or static names");
}

static bool has_host_counters(const struct memphis_process *process)
{
	const struct memphis_counters *counters = process->counters;
	size_t i;

	for (i = 0; counters && i < counters->metric_count; i++)
		if (counters->metrics[i].host && counters->metrics[i].kind <= MEMPHIS_COUNTER_GAUGE)
			return true;
	return false;
}

/* Returns the time at which sampling began or ended. Returns 0 if it is not known, for example if the process was killed. */
static uint64_t sampling_time(const struct memphis_process *process, const char *key)
{
	return memphis_setting_number(&process->settings, key, 0);
}

static bool ran_apart(const struct memphis_process *a, const struct memphis_process *b)
{
	const uint64_t a_end = sampling_time(a, "active_last_ns"), b_end = sampling_time(b, "active_last_ns");

	return (a_end && a_end < sampling_time(b, "active_first_ns")) ||
	       (b_end && b_end < sampling_time(a, "active_first_ns"));
}

/*
 * Notes processes that the host's counters do not cover. Only one process of each host records these
 * counters. They do not cover processes that ran at another time, such as an earlier step of a job.
 */
static void note_steps(struct memphis_text *notes, const struct memphis_processes *processes)
{
	const struct memphis_process **readers = calloc(processes->count + 1, sizeof(*readers)), *process;
	struct affected affected = {.count = 0};
	size_t count = 0, i, j;
	bool apart;

	notes->failed |= !readers;
	for (i = 0; readers && i < processes->count; i++)
		if (has_host_counters(&processes->list[i]))
			readers[count++] = &processes->list[i];
	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		apart = false;
		for (j = 0; j < count; j++) {
			if (!memphis_process_same_host(process, readers[j]))
				continue;
			apart = ran_apart(process, readers[j]);
			if (!apart)
				break;
		}
		if (apart)
			add_affected(&affected, process, 0);
	}
	free(readers);
	note_affected(
		notes, processes, &affected,
		"counters of the host, and its memory bandwidth, are those of another process, which did not run at the same time; report steps that follow each other one by one");
}

/* If some ranks have no files, lists those that have: "ranks 0,2-3 of 4". */
static void note_ranks(struct memphis_text *notes, const struct memphis_processes *processes)
{
	uint64_t ranks = 0, rank, first, own;
	const char *separator = "ranks ";
	bool *seen;
	size_t i;

	for (i = 0; i < processes->count; i++) {
		own = memphis_setting_number(&processes->list[i].settings, "ranks", 0);
		ranks = own > ranks && own <= MEMPHIS_RANKS_MAX ? own : ranks;
	}
	seen = calloc(ranks + 1, sizeof(*seen));
	if (!seen) {
		notes->failed = true;
		return;
	}
	for (i = 0; i < processes->count; i++) {
		rank = memphis_setting_number(&processes->list[i].settings, "rank", ranks);
		seen[rank < ranks ? rank : ranks] = true;
	}
	if (memchr(seen, false, ranks)) {
		for (rank = 0; rank < ranks; rank++) {
			if (!seen[rank])
				continue;
			for (first = rank; rank + 1 < ranks && seen[rank + 1]; rank++)
				;
			memphis_text_print(notes, first == rank ? "%s%" PRIu64 : "%s%" PRIu64 "-%" PRIu64,
					   separator, first, rank);
			separator = ",";
		}
		memphis_text_print(notes, " of %" PRIu64 "; the others have no files here\n", ranks);
	}
	free(seen);
}

/*
 * Notes processes that were not examined for findings. Without the note, a report without findings would
 * suggest that all processes were examined.
 */
static void note_unjudged(struct memphis_report *report)
{
	const struct memphis_processes *processes = &report->profile->processes;
	size_t unjudged = 0, wanted = 0, i;

	for (i = 0; i < processes->count; i++) {
		if (!memphis_selection_has(report->selection, &processes->list[i]))
			continue;
		wanted++;
		unjudged += processes->list[i].unjudged;
	}
	if (!unjudged)
		return;
	memphis_text_print(&report->notes, "no findings for %zu of %zu processes: ", unjudged, wanted);
	memphis_text_put(
		&report->notes,
		"a profile has them only for all nodes and regions together; a report on the sample files has them for --node and --region, too\n");
}

static void note_members(struct memphis_report *report)
{
	size_t processes, left_out = memphis_heatmaps_left_out(report, &processes);

	if (report->view->leaf == MEMPHIS_LEAF_FIELD && left_out)
		memphis_text_print(
			&report->notes,
			"members come from heatmaps of variables, and %zu of these, of %zu processes, are not in the profile: of more than %d processes it keeps the worst one's for each finding, and only for the samples that it was reduced with; a report on the sample files has all of them\n",
			left_out, processes, MEMPHIS_HEATMAP_PROCESSES);
}

/* Notes if no machine has the node of the option --node. This differs from a node without samples. */
static void note_node(struct memphis_report *report)
{
	const struct memphis_processes *processes = &report->profile->processes;
	const int64_t asked = report->selection->node;
	int64_t highest = -1;
	size_t i, j;

	for (i = 0; i < processes->count; i++)
		for (j = 0; j < processes->list[i].node_count; j++) {
			const int64_t node = processes->list[i].nodes[j].node;

			if (node == asked)
				return;
			highest = node > highest ? node : highest;
		}
	if (asked >= 0 && highest >= 0)
		memphis_text_print(&report->notes,
				   "no machine of these files has a node %" PRId64 "; the highest is %" PRId64
				   "\n",
				   asked, highest);
}

/*
 * Defects of binaries because of which instructions have no source lines or variables have no names. `one` is
 * the text for one binary, and `many` the text for several.
 */
static const struct defect {
	const char *one, *many;
} defects[] = {
	{" is not here: its instructions have no lines; give its place with --binaries DIR\n",
	 " are not here: their instructions have no lines; give their place with --binaries DIR\n"},
	{"): its instructions have no lines; give the directory of the recorded file with --binaries DIR\n",
	 " are not the recorded files any more: their instructions have no lines; give the directory of the recorded files with --binaries DIR\n"},
	{" has no debug information: for lines and variables compile it with -g, or install its debug package\n",
	 " have no debug information: for lines and variables compile them with -g, or install their debug packages\n"},
	{"): variables and functions of it have no names; keep *.dwo where the compiler put them, and the common file of dwz where it was, or give its directory with --binaries (elfutils before 0.191 reads no *.dwp)\n",
	 " have debug information in files that were not read: variables and functions of them have no names; keep *.dwo where the compiler put them, and the common file of dwz where it was, or give its directory with --binaries (elfutils before 0.191 reads no *.dwp)\n"},
};

#define DEFECTS (sizeof(defects) / sizeof(*defects))

/* Returns the index of the object's defect, or DEFECTS if it has none. */
static size_t find_defect(const struct memphis_object *object)
{
	if (object->state == MEMPHIS_BINARY_MISSING)
		return 0;
	if (object->state == MEMPHIS_BINARY_CHANGED)
		return 1;
	if (object->state == MEMPHIS_BINARY_OK && !object->has_debug)
		return 2;
	return object->split_missing ? 3 : DEFECTS;
}

static void note_object(struct memphis_report *report, const struct memphis_object *object)
{
	struct memphis_text *notes = &report->notes;
	const size_t defect = find_defect(object);
	const char *build_id;

	memphis_text_put_plain(notes, memphis_profile_text(report->profile, object->path));
	if (defect == 1) {
		build_id = object->build_id ? memphis_profile_text(report->profile, object->build_id) : "-";
		memphis_text_put(notes, " is not the recorded file any more (");
		if (*build_id == '-')
			memphis_text_put(notes, "perf recorded no build-id; by its machine, inode or time");
		else if (*build_id == '=')
			memphis_text_put(notes, "without build-id; by its size, time or contents");
		else
			memphis_text_print_plain(notes, "recorded build-id %s", build_id);
	} else if (defect == 3) {
		memphis_text_print_plain(notes, " has debug information in files that were not read (%s",
					 memphis_profile_text(report->profile, object->split_missing));
	}
	memphis_text_put(notes, defects[defect].one);
}

/* Writes one line for a defect that more than NAMED binaries have: "1000 binaries (a, b, c, ...) are not here". */
static void note_objects(struct memphis_report *report, const bool *used, size_t defect, size_t count)
{
	const struct memphis_profile *profile = report->profile;
	const char *separator = "";
	size_t named = 0, i;

	memphis_text_print(&report->notes, "%zu binaries (", count);
	for (i = 0; i < profile->object_count && named < NAMED; i++) {
		if (!used[i] || find_defect(&profile->objects[i]) != defect)
			continue;
		memphis_text_print_plain(&report->notes, "%s%s", separator,
					 memphis_profile_text(profile, profile->objects[i].path));
		separator = ", ";
		named++;
	}
	memphis_text_put(&report->notes, ", ...)");
	memphis_text_put(&report->notes, defects[defect].many);
}

static void note_generated_code(struct memphis_text *notes, uint64_t count)
{
	if (!count)
		return;
	memphis_text_print(notes, "%" PRIu64 " sample%s", count, count > 1 ? "s are" : " is");
	memphis_text_put(
		notes,
		" in code of no file, as compilers make it at run time: functions have names if the compiler lists them in /tmp/perf-PID.map or in a file jit-PID.dump (memphis-report(1), CODE MADE AT RUN TIME)\n");
}

/* Notes defects of binaries, but only of those to which selected samples refer. */
static void note_binaries(struct memphis_report *report)
{
	const struct memphis_profile *profile = report->profile;
	bool *used = calloc(profile->object_count + 1, sizeof(*used));
	size_t counts[DEFECTS + 1] = {0}, defect, i;
	const struct memphis_leaf_row *row;
	uint64_t made = 0;

	report->notes.failed |= !used;
	for (i = 0; used && i < report->rows->leaf_count; i++) {
		row = &report->rows->leaves[i];
		if (row->object_number >= profile->object_count)
			continue;
		used[row->object_number] = true;
		if (profile->objects[row->object_number].state == MEMPHIS_BINARY_JIT && !row->function)
			made += row->sum.measure.count;
	}
	note_generated_code(&report->notes, made);
	for (i = 0; used && i < profile->object_count; i++)
		counts[find_defect(&profile->objects[i])] += used[i];
	for (i = 0; used && i < profile->object_count; i++) {
		defect = find_defect(&profile->objects[i]);
		if (used[i] && defect < DEFECTS && counts[defect] <= NAMED)
			note_object(report, &profile->objects[i]);
	}
	for (defect = 0; used && defect < DEFECTS; defect++)
		if (counts[defect] > NAMED)
			note_objects(report, used, defect, counts[defect]);
	free(used);
}

/* Notes that weights are estimates, because the tables show them next to measured numbers. */
static void note_weights(struct memphis_text *notes, const struct memphis_weights *weights)
{
	if (!weights->known)
		return;
	memphis_text_print_plain(
		notes,
		"weights are estimates: samples, each weighted by its latency relative to a local access of the same node, as measured on %s (%s)\n",
		weights->matrices->host, weights->path);
}

/*
 * Notes if the homes of pages are unreliable. All data that is derived from them is unreliable too: pairs of
 * nodes, tables by home, and findings about placement.
 */
static void note_homes(struct memphis_text *notes, const struct memphis_homes *homes)
{
	const uint64_t contrary = memphis_homes_contrary(homes);

	if (!memphis_homes_doubtful(homes))
		return;
	memphis_text_print(
		notes,
		"homes of pages are unreliable here: %.1f %% of the loads from DRAM contradict them; use what loads report (--select remote-dram), not pairs, homes and findings of placement. Kernels from 6.15 on withhold physical addresses from samples of unprivileged users, and a module that is older than the report then assumes node 0: update it; or pages were migrated while the program ran (NUMA balancing, move_pages); or nodes of the hardware differ from those of the kernel (sub-NUMA clusters, NPS, numa=fake)\n",
		100.0 * (double)contrary / (double)homes->known);
}

void memphis_report_add_notes(struct memphis_report *report)
{
	const struct memphis_processes *processes = &report->profile->processes;
	struct memphis_processes selected = *processes;
	size_t i;

	selected.list = calloc(processes->count + 1, sizeof(*selected.list));
	selected.count = 0;
	report->notes.failed |= !selected.list;
	for (i = 0; selected.list && i < processes->count; i++)
		if (memphis_selection_has(report->selection, &processes->list[i]))
			selected.list[selected.count++] = processes->list[i];
	note_processes(&report->notes, &selected);
	memphis_inputs_put_notes(report->profile, &report->notes);
	note_ranks(&report->notes, processes);
	note_homes(&report->notes, &report->accounting.homes);
	note_binaries(report);
	report->notes_to_act = report->notes.bytes;
	note_weights(&report->notes, &report->weights);
	note_node(report);
	note_unjudged(report);
	note_members(report);
	note_steps(&report->notes, &selected);
	memphis_put_counters_notes(&report->notes, &report->counters);
	memphis_put_machine_notes(&report->notes, &selected);
	free(selected.list);
}
