// SPDX-License-Identifier: BSD-3-Clause
/*
 * Cache lines of which a source line reads a small part. If this fails, the report blames loops that use whole cache lines, or does not report
 * those that waste them.
 */
#include "evidence/strided.h"
#include "heatmap/second_pass.h"

#include "scenario.h"

enum { LINE = 77 };

/* Adds a heatmap of "field" with the loads of one source line; all of its fetches are selected. */
static struct memphis_heatmap *add_loads(struct memphis_heatmap_load load)
{
	static const struct use nothing[] = {{0, 0, 0, 0, 16, 0, 0, 1, 0, 0, 0}};
	struct memphis_heatmap *heatmap = HEATMAP("field", nothing);

	load.instruction = instruction_at(LINE);
	load.counted = load.fetched;
	load.bytes = (uint64_t)load.count * load.widest;
	*(struct memphis_heatmap_load *)memphis_append(heatmap->loads, heatmap->load_count,
						       heatmap->load_room) = load;
	add_cell(heatmap->variable, 0, LINE, load.fetched, remote_dram);
	return heatmap;
}

static const char *bytes_of(struct memphis_heatmap_load load)
{
	const struct memphis_estimate bytes = memphis_read_bytes(&load);
	static char text[64];

	snprintf(text, sizeof(text), "%.1f from %.1f to %.1f", bytes.value, bytes.low, bytes.high);
	return text;
}

/* The intervals are those of Wilson for the share of fetches: 160 of 160 is 97.66 to 100 %, 100 of 400 is 21.0 to 29.5 %. */
static void estimates(void)
{
	is_text(bytes_of((struct memphis_heatmap_load){
			.count = 160, .fetched = 160, .narrowest = 8, .widest = 8, .bytes = 1280}),
		"8.0 from 8.0 to 8.2", "each load fetches a line: 8 bytes of it are read");
	is_text(bytes_of((struct memphis_heatmap_load){
			.count = 400, .fetched = 100, .narrowest = 8, .widest = 8, .bytes = 3200}),
		"32.0 from 27.1 to 38.1", "one in four loads fetches a line");
	is_text(bytes_of((struct memphis_heatmap_load){
			.count = 1600, .fetched = 200, .narrowest = 8, .widest = 8, .bytes = 12800}),
		"64.0 from 56.3 to 64.0", "one in eight loads fetches a line, which is read to its end");
	is_text(bytes_of((struct memphis_heatmap_load){
			.count = 3200, .fetched = 200, .narrowest = 8, .widest = 8, .bytes = 25600}),
		"64.0 from 64.0 to 64.0", "no more than a line is read, however often");
	is_text(bytes_of((struct memphis_heatmap_load){
			.count = 400, .fetched = 100, .narrowest = 4, .widest = 16, .bytes = 3200}),
		"32.0 from 13.6 to 64.0", "the interval contains loads of each size");
}

static void found(void)
{
	begin();
	add_loads((struct memphis_heatmap_load){
		.count = 160, .fetched = 160, .lines = 150, .narrowest = 8, .widest = 8});
	expect_findings(
		"remote-dram",
		"strided\n"
		"[heap]:field is read in small parts at model.c:77 (step): 8 of the 64 bytes of each cache line that it fetches (95 % CI 8 to 9): 160 samples, 100.0 % of the loads that fetched a line (95 % CI 97.7 to 100.0)\n"
		"interchange the loops at model.c:77 (step), so that the innermost index runs over neighbouring elements; or pack the data once, or change the layout, so that data used together share cache lines\n",
		"strided: the innermost loop runs over planes");
}

static void unit_stride(void)
{
	begin();
	add_loads((struct memphis_heatmap_load){
		.count = 1280, .fetched = 160, .lines = 150, .narrowest = 8, .widest = 8});
	expect_findings("remote-dram", "", "no finding with unit stride");
	begin();
	add_loads((struct memphis_heatmap_load){
		.count = 640, .fetched = 160, .lines = 150, .narrowest = 8, .widest = 8});
	expect_findings("remote-dram", "", "no finding if half of each line is read");
}

static void too_little(void)
{
	begin();
	add_loads((struct memphis_heatmap_load){
		.count = 19, .fetched = 19, .lines = 19, .narrowest = 8, .widest = 8});
	expect_findings("remote-dram", "", "no finding from 19 samples of fetches");
	begin();
	add_loads((struct memphis_heatmap_load){
		.count = 160, .fetched = 160, .lines = 19, .narrowest = 8, .widest = 8});
	expect_findings("remote-dram", "",
			"no finding from a few cache lines, however often they are fetched");
	begin();
	add_loads((struct memphis_heatmap_load){
			  .count = 160, .fetched = 160, .lines = 150, .narrowest = 8, .widest = 8})
		->loads[0]
		.counted = 19;
	expect_findings("remote-dram", "",
			"no finding if most fetches are in other regions than those selected");
}

/* Fields of an element that other lines read: the first line fetches, the others hit. */
static void others(void)
{
	begin();
	add_loads((struct memphis_heatmap_load){.count = 160,
						.fetched = 160,
						.lines = 150,
						.narrowest = 8,
						.widest = 8,
						.others = 480,
						.others_widest = 8});
	expect_findings("remote-dram", "",
			"no finding if other lines of the function read the rest of the line");
	begin();
	add_loads((struct memphis_heatmap_load){.count = 160,
						.fetched = 160,
						.lines = 150,
						.narrowest = 8,
						.widest = 8,
						.others = 160,
						.others_widest = 8});
	find_evidence();
	is(profile.evidence_count, 1, "a finding if the function also stores what it reads");
	memphis_profile_close(&profile);
}

/* Of elements of 64 bytes, a line of the program that uses one member reads 8 bytes of each cache line in any order of loops. */
static void elements(void)
{
	struct memphis_heatmap *heatmap;

	begin();
	heatmap = add_loads((struct memphis_heatmap_load){
		.count = 160, .fetched = 160, .lines = 150, .narrowest = 8, .widest = 8});
	heatmap->element_bytes = 64;
	expect_findings("remote-dram", "", "no finding about one member of large elements");
	begin();
	heatmap = add_loads((struct memphis_heatmap_load){
		.count = 160, .fetched = 160, .lines = 150, .narrowest = 8, .widest = 8});
	heatmap->element_bytes = 24;
	find_evidence();
	is(profile.evidence_count, 1, "a finding about one member of small elements, one per cache line");
	memphis_profile_close(&profile);
}

static bool all_loads(const char *settings)
{
	struct memphis_process process = {.pid = 1};
	bool all;

	memphis_settings_add(&process.settings, (struct memphis_span){settings, strlen(settings)});
	all = memphis_samples_all_loads(&process);
	memphis_settings_close(&process.settings);
	return all;
}

#define IBS "hardware ibs\ncount ops\n"

static void hardware(void)
{
	ok(all_loads(IBS "drop none\nhardware_filter none\nmin_latency 0\n"),
	   "samples of IBS show the loads that hit");
	ok(all_loads(IBS "drop none\nmin_latency 0\n"), "also in files without the filter of the hardware");
	ok(!all_loads("hardware pebs\ncount ops\ndrop none\nmin_latency 0\n"), "samples of PEBS don't");
	ok(!all_loads("hardware ibs\ncount cycles\ndrop none\nmin_latency 0\n"), "nor if cycles are counted");
	ok(!all_loads(IBS "drop not_dram\nmin_latency 0\n"), "nor if loads from caches are dropped");
	ok(!all_loads(IBS "drop none\nhardware_filter l3-miss\nmin_latency 0\n"),
	   "nor with the hardware's filter");
	ok(!all_loads(IBS "drop none\nmin_latency 30\n"), "nor above a latency");
	ok(!all_loads(""), "nor if it is not known");
}

int main(void)
{
	estimates();
	found();
	unit_stride();
	too_little();
	others();
	elements();
	hardware();
	return finish();
}
