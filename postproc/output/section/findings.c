// SPDX-License-Identifier: BSD-3-Clause
/* The key "findings" of the JSON report; memphis-json(5) lists its members. */
#include <math.h>

#include "diagnose/diagnosis.h"
#include "output/section/parts.h"
#include "output/section/waiting.h"

static void put_thread(struct memphis_json *json, const char *key, const struct memphis_process *process,
		       uint32_t thread)
{
	const bool known = thread != MEMPHIS_NONE;

	memphis_json_known(json, key, known, known ? process->threads[thread].tid : 0);
}

static void put_location(struct memphis_json *json, const struct memphis_profile *profile,
			 uint32_t instruction)
{
	const struct memphis_profile_frame *frame = NULL;

	if (instruction != MEMPHIS_NONE)
		frame = memphis_program_frame(profile, instruction);
	memphis_json_place(json, profile, frame);
}

static void put_initialisation(struct memphis_json *json, const struct memphis_profile *profile,
			       const struct memphis_finding *finding)
{
	const struct memphis_profile_frame *frame = NULL;
	uint32_t object = MEMPHIS_NONE;

	if (finding->initialised_at != MEMPHIS_NONE) {
		frame = memphis_program_frame(profile, finding->initialised_at);
		object = profile->instructions[memphis_program_instruction(profile, finding->initialised_at)]
				 .object;
	}
	memphis_json_open(json, "initialised", '{');
	memphis_json_string(json, "known", memphis_initialised_names[finding->initialised]);
	memphis_json_place(json, profile, frame);
	memphis_json_string(
		json, "object",
		object == MEMPHIS_NONE ? NULL : memphis_profile_text(profile, profile->objects[object].path));
	memphis_json_close(json, '}');
}

static void put_regions(struct memphis_json *json, const struct memphis_profile *profile,
			const struct memphis_finding *finding)
{
	const struct memphis_profile_region *region;
	size_t i;

	memphis_json_open(json, "regions", '[');
	for (i = 0; i < finding->region_count; i++) {
		region = &profile->regions[finding->regions[i].region];
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "name", memphis_profile_text(profile, region->name));
		memphis_json_real(json, "share", finding->regions[i].share);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

static void put_nodes(struct memphis_json *json, const struct memphis_finding *finding)
{
	size_t i;

	memphis_json_open(json, "nodes", '[');
	for (i = 0; i < finding->node_count; i++)
		memphis_json_number(json, NULL, finding->nodes[i]);
	memphis_json_close(json, ']');
}

static void put_ranges(struct memphis_json *json, const struct memphis_finding *finding)
{
	const struct memphis_finding_range *range;
	size_t i;

	memphis_json_open(json, "ranges", '[');
	for (i = 0; i < finding->range_count && i < MEMPHIS_FINDING_RANGES; i++) {
		range = &finding->ranges[i];
		memphis_json_open(json, NULL, '{');
		memphis_json_hex(json, "low", range->low);
		memphis_json_hex(json, "high", range->high - 1);
		memphis_json_node(json, "home", range->home);
		memphis_json_number(json, "node", range->node);
		memphis_json_number(json, "remote", range->remote);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
	memphis_json_number(json, "range_count", finding->range_count);
}

static void put_fields(struct memphis_json *json, const struct memphis_profile *profile,
		       const struct memphis_finding *finding)
{
	size_t i;

	memphis_json_open(json, "fields", '[');
	for (i = 0; i < 2 && finding->fields[i]; i++)
		memphis_json_string(json, NULL, memphis_profile_text(profile, finding->fields[i]));
	memphis_json_close(json, ']');
}

/* Writes the ranks that show the pattern. For a process without a rank, writes its number. */
static void put_ranks(struct memphis_json *json, const struct memphis_report *report, size_t number)
{
	const struct memphis_profile *profile = report->profile;
	uint32_t process, last = MEMPHIS_NONE;
	size_t i;

	memphis_json_open(json, "ranks", '[');
	for (i = 0; i < profile->evidence_count; i++) {
		process = profile->evidence[i].process;
		/* Several consecutive pieces of evidence may belong to the same process. */
		if (report->findings.of[i] != number || process == last)
			continue;
		last = process;
		memphis_json_number(
			json, NULL,
			memphis_setting_number(&profile->processes.list[process].settings, "rank", process));
	}
	memphis_json_close(json, ']');
}

static void put_evidence(struct memphis_json *json, const struct memphis_report *report, size_t number)
{
	const struct memphis_finding *finding = &report->findings.list[number];
	const struct memphis_profile *profile = report->profile;
	const struct memphis_process *process = &profile->processes.list[finding->process];

	memphis_json_open(json, "evidence", '{');
	memphis_json_number(json, "pid", process->pid);
	memphis_json_number(json, "processes", finding->processes);
	put_ranks(json, report, number);
	memphis_json_node(json, "home", finding->home);
	memphis_json_node(json, "node", finding->node);
	put_nodes(json, finding);
	memphis_json_bool(json, "apart", finding->apart);
	put_thread(json, "thread", process, finding->thread);
	memphis_json_real(json, "thread_share", finding->thread_share);
	put_thread(json, "touched_by", process, finding->touched_by);
	memphis_json_real(json, "store_share", finding->store_share < 0 ? NAN : finding->store_share);
	memphis_json_real(json, "home_share", finding->home_share);
	memphis_json_real(json, "even_share", finding->even_share);
	memphis_json_bool(json, "crowded", finding->own_cycles > 0);
	memphis_json_real(json, "own_cycles", finding->own_cycles > 0 ? finding->own_cycles : NAN);
	memphis_json_real(json, "others_cycles", finding->own_cycles > 0 ? finding->others_cycles : NAN);
	put_location(json, profile, finding->instruction);
	put_initialisation(json, profile, finding);
	memphis_json_open(json, "usual", '{');
	put_location(json, profile, finding->usual);
	memphis_json_close(json, '}');
	put_regions(json, profile, finding);
	memphis_json_number(json, "moves", finding->moves);
	memphis_json_bool(json, "reused", finding->reused);
	memphis_json_string(
		json, "reused_of",
		finding->reused_of == MEMPHIS_NONE ? NULL : memphis_shown_name(profile, finding->reused_of));
	memphis_json_bool(json, "small_blocks", finding->small_blocks);
	memphis_json_number(json, "lines", finding->lines);
	memphis_json_number(json, "line_threads", finding->line_threads);
	put_fields(json, profile, finding);
	put_ranges(json, finding);
	memphis_estimate_json(
		json, "read_bytes", "bytes",
		memphis_patterns[finding->pattern].among == MEMPHIS_FETCHES ? &finding->read_bytes : NULL);
	memphis_json_close(json, '}');
}

/* Writes segment, name and allocation site of the variable. */
static void put_variable_name(struct memphis_json *json, const struct memphis_profile *profile,
			      uint32_t number)
{
	const struct memphis_variable *variable = &profile->variables[number];

	memphis_json_string(json, "segment", memphis_profile_text(profile, variable->segment));
	memphis_json_string(json, "variable", memphis_profile_text(profile, variable->name));
	memphis_json_string(json, "shown", memphis_shown_name(profile, number));
	memphis_json_string(json, "site", memphis_profile_text(profile, variable->site));
}

static void put_variables(struct memphis_json *json, const struct memphis_profile *profile,
			  const struct memphis_finding *finding)
{
	size_t i;

	memphis_json_open(json, "variables", '[');
	for (i = 0; i < finding->part_count; i++) {
		memphis_json_open(json, NULL, '{');
		put_variable_name(json, profile, finding->parts[i].variable);
		memphis_json_number(json, "samples", finding->parts[i].samples);
		memphis_json_real(json, "share",
				  (double)finding->parts[i].samples / (double)finding->samples);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

/* Writes the finding about strided, or indirect, accesses in the same loop as an object. Writes null if there is none. */
static void put_stride(struct memphis_json *json, const struct memphis_profile *profile,
		       const struct memphis_finding *stride, enum memphis_pattern pattern)
{
	if (!stride || stride->pattern != pattern) {
		memphis_json_string(json, memphis_patterns[pattern].name, NULL);
		return;
	}
	memphis_json_open(json, memphis_patterns[pattern].name, '{');
	put_variables(json, profile, stride);
	memphis_json_number(json, "samples", stride->samples);
	memphis_json_real(json, "share", stride->share.share);
	memphis_json_real(json, "share_low", stride->share.low);
	memphis_json_real(json, "share_high", stride->share.high);
	memphis_estimate_json(json, "gain", "cycles", stride->gain_known ? &stride->gain : NULL);
	put_location(json, profile, stride->instruction);
	memphis_estimate_json(json, "read_bytes", "bytes", &stride->read_bytes);
	memphis_json_close(json, '}');
}

void memphis_output_findings(struct memphis_json *json, const struct memphis_report *report)
{
	const struct memphis_profile *profile = report->profile;
	const struct memphis_finding *finding;
	size_t i;

	memphis_json_open(json, "findings", '[');
	for (i = 0; i < report->findings.count; i++) {
		finding = &report->findings.list[i];
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "pattern", memphis_patterns[finding->pattern].name);
		put_variable_name(json, profile, finding->variable);
		put_variables(json, profile, finding);
		memphis_json_number(json, "samples", finding->samples);
		memphis_json_real(json, "share", finding->share.share);
		memphis_json_real(json, "share_low", finding->share.low);
		memphis_json_real(json, "share_high", finding->share.high);
		memphis_json_real(json, "certainty",
				  finding->doubt_ppm ? memphis_finding_certainty(finding) : NAN);
		memphis_estimate_json(json, "gain", "cycles", finding->gain_known ? &finding->gain : NULL);
		memphis_json_string(json, "sentence", finding->sentence);
		memphis_json_string(json, "advice", finding->advice);
		put_stride(json, profile, finding->stride, MEMPHIS_PATTERN_STRIDED);
		put_stride(json, profile, finding->stride, MEMPHIS_PATTERN_INDIRECT);
		put_evidence(json, report, i);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}
