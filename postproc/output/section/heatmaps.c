// SPDX-License-Identifier: BSD-3-Clause
/*
 * Heatmaps of the leading variables as JSON. Spots and uses are plain arrays of numbers to save space,
 * because there may be many.
 */
#include "profile/heatmap.h"
#include "evidence/strided.h"
#include "output/section/parts.h"
#include "output/section/waiting.h"

static void put_spots(struct memphis_json *json, const struct memphis_heatmap *heatmap)
{
	const struct memphis_heatmap_spot *spot;
	size_t i;

	memphis_json_open(json, "spots", '[');
	for (i = 0; i < heatmap->spot_count; i++) {
		spot = &heatmap->spots[i];
		memphis_json_open(json, NULL, '[');
		memphis_json_number(json, NULL, spot->bin);
		memphis_json_number(json, NULL, spot->tick);
		memphis_json_node(json, NULL, spot->node);
		memphis_json_node(json, NULL, spot->home);
		memphis_json_number(json, NULL, spot->count);
		memphis_json_number(json, NULL, spot->selected);
		memphis_json_close(json, ']');
	}
	memphis_json_close(json, ']');
}

static void put_thread_uses(struct memphis_json *json, const struct memphis_heatmap *heatmap,
			    const struct memphis_process *process)
{
	const struct memphis_heatmap_use *use;
	size_t i;

	memphis_json_open(json, "threads", '[');
	for (i = 0; i < heatmap->use_count; i++) {
		use = &heatmap->uses[i];
		memphis_json_open(json, NULL, '[');
		memphis_json_number(json, NULL, process->threads[use->thread].tid);
		memphis_json_node(json, NULL, use->node);
		memphis_json_number(json, NULL, use->bin);
		memphis_json_number(json, NULL, use->count);
		memphis_json_number(json, NULL, use->stores);
		memphis_json_number(json, NULL, use->selected);
		memphis_json_number(json, NULL, use->first_ns);
		memphis_json_close(json, ']');
	}
	memphis_json_close(json, ']');
}

static void put_fields(struct memphis_json *json, const struct memphis_profile *profile,
		       const struct memphis_heatmap *heatmap)
{
	const struct memphis_heatmap_field *field;
	size_t i;

	memphis_json_open(json, "fields", '[');
	for (i = 0; i < heatmap->field_count; i++) {
		field = &heatmap->fields[i];
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "name", memphis_profile_text(profile, field->name));
		memphis_json_number(json, "offset", field->offset);
		memphis_json_node(json, "node", field->node);
		memphis_json_number(json, "count", field->count);
		memphis_json_number(json, "stores", field->stores);
		memphis_json_number(json, "hitm", field->hitm);
		memphis_json_number(json, "selected", field->selected);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

static void put_line_words(struct memphis_json *json, const struct memphis_heatmap *heatmap,
			   const struct memphis_process *process)
{
	const struct memphis_heatmap_word *word;
	size_t i;

	memphis_json_open(json, "lines", '[');
	for (i = 0; i < heatmap->word_count; i++) {
		word = &heatmap->words[i];
		memphis_json_open(json, NULL, '{');
		memphis_json_hex(json, "address", word->line * MEMPHIS_LINE_BYTES + word->word * 8u);
		memphis_json_number(json, "tid", process->threads[word->thread].tid);
		memphis_json_number(json, "loads", word->loads);
		memphis_json_number(json, "stores", word->stores);
		memphis_json_number(json, "hitm", word->hitm);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

static void put_regions(struct memphis_json *json, const struct memphis_profile *profile,
			const struct memphis_heatmap *heatmap)
{
	const struct memphis_heatmap_region *region;
	size_t i;

	memphis_json_open(json, "regions", '[');
	for (i = 0; i < heatmap->region_count; i++) {
		region = &heatmap->regions[i];
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "name",
				    memphis_profile_text(profile, profile->regions[region->region].name));
		memphis_json_number(json, "count", region->count);
		memphis_json_number(json, "remote", region->remote);
		memphis_json_number(json, "hitm", region->hitm);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

/*
 * Returns true if the bin has loads from local or remote DRAM, and no other bin has more loads from the same
 * memory. Of several bins with equally many loads, only the first one is the peak. The latency of this bin is
 * then typical of local or remote memory.
 */
static bool is_peak(const struct memphis_heatmap *heatmap, const struct memphis_heatmap_latency *bin)
{
	const struct memphis_heatmap_latency *other;

	if (bin->source != MEMPHIS_WAIT_LOCAL_DRAM && bin->source != MEMPHIS_WAIT_REMOTE_DRAM)
		return false;
	for (other = heatmap->latencies; other < heatmap->latencies + heatmap->latency_count; other++)
		if (other->source == bin->source &&
		    (other->count > bin->count || (other->count == bin->count && other->bin < bin->bin)))
			return false;
	return true;
}

static void put_latencies(struct memphis_json *json, const struct memphis_heatmap *heatmap)
{
	const struct memphis_heatmap_latency *bin;

	memphis_json_open(json, "latencies", '[');
	for (bin = heatmap->latencies; bin < heatmap->latencies + heatmap->latency_count; bin++) {
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "source", memphis_wait_source_names[bin->source]);
		memphis_json_number(json, "low", memphis_latency_bin_low(bin->bin));
		memphis_json_number(json, "below", memphis_latency_bin_low(bin->bin + 1u));
		memphis_json_number(json, "count", bin->count);
		memphis_json_number(json, "cycles", bin->cycles);
		memphis_json_bool(json, "peak", is_peak(heatmap, bin));
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

/* Returns the pattern of the variable's worst finding, or NULL. The list of findings begins with the worst one. */
static const char *worst_pattern(const struct memphis_report *report, const struct memphis_heatmap *heatmap)
{
	const struct memphis_finding *finding;
	size_t i, j;

	for (i = 0; i < report->findings.count; i++) {
		finding = &report->findings.list[i];
		for (j = 0; j < finding->part_count; j++)
			if (finding->parts[j].variable == heatmap->variable)
				return memphis_patterns[finding->pattern].name;
	}
	return NULL;
}

static void put_loads(struct memphis_json *json, const struct memphis_profile *profile,
		      const struct memphis_heatmap *heatmap)
{
	const struct memphis_heatmap_load *load;
	const struct memphis_profile_frame *frame;
	struct memphis_estimate bytes;

	memphis_json_open(json, "loads", '[');
	for (load = heatmap->loads; load < heatmap->loads + heatmap->load_count; load++) {
		frame = memphis_program_frame(profile, load->instruction);
		bytes = memphis_read_bytes(load);
		memphis_json_open(json, NULL, '{');
		memphis_json_place(json, profile, frame);
		memphis_json_number(json, "count", load->count);
		memphis_json_number(json, "fetched", load->fetched);
		memphis_json_number(json, "selected", load->selected);
		memphis_estimate_json(json, "read_bytes", "bytes", &bytes);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

/*
 * Writes the source lines. Also writes the selected samples of each line by time step and node as arrays
 * [line, step, node, samples].
 */
static void put_samples_over_time(struct memphis_json *json, const struct memphis_profile *profile,
				  const struct memphis_heatmap *heatmap)
{
	const struct memphis_heatmap_moment *moment, *end = heatmap->moments + heatmap->moment_count;
	uint64_t line = 0;

	memphis_json_open(json, "over_time", '{');
	memphis_json_open(json, "lines", '[');
	for (moment = heatmap->moments; moment < end; moment++) {
		if (moment > heatmap->moments && moment->instruction == moment[-1].instruction)
			continue;
		memphis_json_open(json, NULL, '{');
		memphis_json_place(json, profile, memphis_program_frame(profile, moment->instruction));
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
	memphis_json_open(json, "samples", '[');
	for (moment = heatmap->moments; moment < end; moment++) {
		line += moment > heatmap->moments && moment->instruction != moment[-1].instruction;
		memphis_json_open(json, NULL, '[');
		memphis_json_number(json, NULL, line);
		memphis_json_number(json, NULL, moment->tick);
		memphis_json_node(json, NULL, moment->node);
		memphis_json_number(json, NULL, moment->selected);
		memphis_json_close(json, ']');
	}
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

void memphis_output_part(struct memphis_json *json, const char *key, const struct memphis_profile *profile,
			 const struct memphis_heatmap_part *part)
{
	if (!part) {
		memphis_json_null(json, key);
		return;
	}
	memphis_json_open(json, key, '{');
	memphis_json_string(json, "indices", memphis_profile_text(profile, part->name));
	memphis_json_number(json, "node", part->node);
	memphis_json_number(json, "samples", part->count);
	memphis_json_number(json, "first", part->first);
	memphis_json_number(json, "last", part->last);
	memphis_json_number(json, "elements", part->elements);
	memphis_json_close(json, '}');
}

static void put_heatmap(struct memphis_json *json, const struct memphis_report *report,
			const struct memphis_heatmap *heatmap)
{
	const struct memphis_profile *profile = report->profile;
	const struct memphis_variable *variable = &profile->variables[heatmap->variable];
	const struct memphis_process *process = &profile->processes.list[heatmap->process];
	size_t i;

	memphis_json_open(json, NULL, '{');
	memphis_json_number(json, "process", heatmap->process);
	memphis_json_number(json, "pid", process->pid);
	memphis_json_string(json, "rank", memphis_setting(&process->settings, "rank"));
	memphis_json_string(json, "host", memphis_setting(&process->settings, "host"));
	memphis_json_string(json, "segment", memphis_profile_text(profile, variable->segment));
	memphis_json_string(json, "name", memphis_profile_text(profile, variable->name));
	memphis_json_string(json, "shown", memphis_shown_name(profile, heatmap->variable));
	memphis_json_string(json, "site", memphis_profile_text(profile, variable->site));
	memphis_json_hex(json, "low", heatmap->low);
	memphis_json_hex(json, "high", heatmap->high);
	memphis_json_hex(json, "bin_low", heatmap->low >> heatmap->bin_shift << heatmap->bin_shift);
	memphis_json_number(json, "bin_bytes", 1ULL << heatmap->bin_shift);
	memphis_json_number(json, "from_ns", heatmap->from_ns);
	memphis_json_number(json, "to_ns", heatmap->to_ns);
	memphis_json_number(json, "tick_from_ns",
			    heatmap->from_ns >> heatmap->tick_shift << heatmap->tick_shift);
	memphis_json_number(json, "tick_ns", 1ULL << heatmap->tick_shift);
	memphis_json_number(json, "samples", heatmap->samples);
	memphis_json_number(json, "selected", heatmap->selected);
	memphis_json_number(json, "one_in", heatmap->one_in);
	put_spots(json, heatmap);
	put_thread_uses(json, heatmap, process);
	memphis_json_known(json, "element_bytes", heatmap->element_bytes, heatmap->element_bytes);
	put_fields(json, profile, heatmap);
	memphis_json_open(json, "parts", '[');
	for (i = 0; i < heatmap->part_count; i++)
		memphis_output_part(json, NULL, profile, &heatmap->parts[i]);
	memphis_json_close(json, ']');
	put_line_words(json, heatmap, process);
	put_regions(json, profile, heatmap);
	put_latencies(json, heatmap);
	put_loads(json, profile, heatmap);
	put_samples_over_time(json, profile, heatmap);
	memphis_json_string(json, "finding", worst_pattern(report, heatmap));
	memphis_json_close(json, '}');
}

static bool is_selected(const struct memphis_report *report, size_t process)
{
	return memphis_selection_has(report->selection, &report->profile->processes.list[process]);
}

size_t memphis_heatmaps_left_out(const struct memphis_report *report, size_t *processes)
{
	const struct memphis_profile *profile = report->profile;
	size_t left_out = 0, here = 0, own, i;

	*processes = 0;
	for (i = 0; i < profile->processes.count; i++) {
		for (own = here; here < profile->heatmap_count && profile->heatmaps[here].process == i;)
			here++;
		own = here - own;
		if (!is_selected(report, i) || profile->processes.list[i].heatmaps <= own)
			continue;
		left_out += profile->processes.list[i].heatmaps - own;
		(*processes)++;
	}
	return left_out;
}

static void put_left_out(struct memphis_json *json, const struct memphis_report *report)
{
	size_t processes, left_out = memphis_heatmaps_left_out(report, &processes);

	memphis_json_open(json, "heatmaps_left_out", '{');
	memphis_json_number(json, "heatmaps", left_out);
	memphis_json_number(json, "processes", processes);
	memphis_json_close(json, '}');
}

void memphis_output_heatmaps(struct memphis_json *json, const struct memphis_report *report)
{
	const struct memphis_profile *profile = report->profile;
	size_t i;

	memphis_json_open(json, "heatmaps", '[');
	for (i = 0; i < profile->heatmap_count; i++)
		put_heatmap(json, report, &profile->heatmaps[i]);
	memphis_json_close(json, ']');
	put_left_out(json, report);
}
