// SPDX-License-Identifier: BSD-3-Clause
/* Writes findings as sentences: the pattern with its evidence, and the advice. */
#include "diagnose/finding_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "diagnose/one_thread.h"
#include "diagnose/undecided.h"
#include "dwarf/demangle.h"
#include "name/system_libraries.h"
#include "read/process_name.h"
#include "read/stands_for.h"
#include "view/via.h"

#define SHOWN 4 /* number of variables that a sentence names */

struct words {
	const struct memphis_finding *finding;
	const struct memphis_profile *profile;
	const struct memphis_process *process;
	bool alone; /* the memory is of one thread, so the work cannot be divided (one_thread.h) */
	struct memphis_text *text;
};

static void put_words(const struct words *words, const char *string)
{
	memphis_text_put(words->text, string);
}

static void put_string(const struct words *words, uint32_t string)
{
	const char *text = memphis_profile_text(words->profile, string);

	put_words(words, text ? text : "?");
}

static bool has_several_variables(const struct words *words)
{
	return words->finding->part_count > 1;
}

/* Appends the singular or the plural form of a word, depending on the number of variables of the finding. */
static void put_agreeing(const struct words *words, const char *one, const char *several)
{
	put_words(words, has_several_variables(words) ? several : one);
}

static void put_variable(const struct words *words, uint32_t number)
{
	put_words(words, "[");
	put_string(words, words->profile->variables[number].segment);
	put_words(words, "]:");
	put_words(words, memphis_shown_name(words->profile, number));
}

/* Appends the names of the variables: "[heap]:tx", "[heap]:tx, [heap]:ty and [heap]:tc", or the first ones and "and 27 more". */
static void put_variables(const struct words *words)
{
	const struct memphis_finding *finding = words->finding;
	const size_t shown = finding->part_count > SHOWN ? SHOWN - 1 : finding->part_count;
	size_t i;

	if (!has_several_variables(words)) {
		put_variable(words, finding->variable);
		return;
	}
	for (i = 0; i < shown; i++) {
		put_words(words, !i ? "" : i + 1 < finding->part_count ? ", " : " and ");
		put_variable(words, finding->parts[i].variable);
	}
	if (shown < finding->part_count)
		memphis_text_print(words->text, " and %zu more", finding->part_count - shown);
}

/* If the finding has several variables, appends "of [heap]:tx, " with the first one, which the words that follow are about. */
static void put_if_only_first(const struct words *words)
{
	if (!has_several_variables(words))
		return;
	put_words(words, "of ");
	put_variable(words, words->finding->variable);
	put_words(words, ", ");
}

static void put_node(const struct words *words, uint16_t node)
{
	if (node == MEMPHIS_NODE_UNKNOWN)
		put_words(words, "several nodes");
	else
		memphis_text_print(words->text, "node %u", node);
}

/* Appends the nodes of the finding, for example "nodes 0, 1 and 2". */
static void put_nodes(const struct words *words)
{
	const struct memphis_finding *finding = words->finding;
	size_t i;

	if (finding->node_count < 2) {
		put_node(words, finding->node_count ? finding->nodes[0] : MEMPHIS_NODE_UNKNOWN);
		return;
	}
	put_words(words, "nodes ");
	for (i = 0; i < finding->node_count; i++)
		memphis_text_print(words->text, "%s%u",
				   !i                            ? ""
				   : i + 1 < finding->node_count ? ", "
								 : " and ",
				   finding->nodes[i]);
}

/* Appends the name of a thread, for example "thread 4711 (worker, OpenMP thread 2)". */
static void put_thread(const struct words *words, uint32_t number)
{
	const struct memphis_thread *thread = &words->process->threads[number];
	const char *name = memphis_setting(&thread->metadata, "name");
	const char *openmp = memphis_setting(&thread->metadata, "openmp_thread");

	memphis_text_print(words->text, "thread %" PRIu32, thread->tid);
	if (name || openmp)
		memphis_text_print(words->text, " (%s%s%s%s)", name ? name : "", name && openmp ? ", " : "",
				   openmp ? "OpenMP thread " : "", openmp ? openmp : "");
}

static void put_percent(const struct words *words, double share)
{
	memphis_text_print(words->text, "%.0f %%", 100 * share);
}

static void put_frame(const struct words *words, const char *before,
		      const struct memphis_profile_frame *frame)
{
	const struct memphis_profile *profile = words->profile;

	put_words(words, before);
	put_words(words, frame->path ? memphis_basename(memphis_profile_text(profile, frame->path)) : "?");
	memphis_text_print(words->text, frame->approximate ? ":%" PRIu32 "~" : ":%" PRIu32, frame->line);
	if (frame->function) {
		put_words(words, " (");
		memphis_put_function(words->text, memphis_profile_text(profile, frame->function));
		put_words(words, ")");
	}
}

/* Appends the place of an instruction: " at model.c:44 (step)", or " in memset (libc.so.6)" if it has no source line. */
static void put_place(const struct words *words, const char *before, uint32_t instruction)
{
	const struct memphis_profile *profile = words->profile;
	const struct memphis_profile_frame *frame = memphis_program_frame(profile, instruction);
	uint32_t number = profile->instructions[memphis_program_instruction(profile, instruction)].object;
	const char *function = memphis_profile_text(profile, frame->function), *object = NULL, *public;
	const char *via = memphis_via(profile, instruction);

	put_words(words, before);
	if (frame->line && !memphis_in_system_library(profile, instruction)) {
		put_frame(words, " at ", frame);
		if (via) {
			put_words(words, " via ");
			memphis_put_called(words->text, via);
		}
		return;
	}
	if (number != MEMPHIS_NONE)
		object = memphis_profile_text(profile, profile->objects[number].path);
	public = function ? memphis_libc_public(function) : NULL;
	put_words(words, " in ");
	memphis_put_function(words->text, public ? public : function ? function : "code without a name");
	memphis_text_print(words->text, " (%s)", object ? memphis_basename(object) : "?");
}

/* Appends the place with the most samples, if its line or function is known. */
static void put_location(const struct words *words, const char *before)
{
	const uint32_t instruction = words->finding->instruction;
	const struct memphis_profile_frame *frame;

	if (instruction == MEMPHIS_NONE)
		return;
	frame = memphis_program_frame(words->profile, instruction);
	if (frame->line || frame->function)
		put_place(words, before, instruction);
}

/* Returns whether the place that initialises the variables is certain, and has a source line in the program itself. */
static bool has_initialising_line(const struct words *words)
{
	const uint32_t at = words->finding->initialised_at;
	const struct memphis_profile_frame *frame;

	if (at == MEMPHIS_NONE || words->finding->initialised < MEMPHIS_INITIALISED_SEVERAL)
		return false;
	frame = memphis_program_frame(words->profile, at);
	return frame->line && !memphis_in_system_library(words->profile, at) &&
	       !memphis_is_system_source(memphis_profile_text(words->profile, frame->path));
}

static void put_initialising_place(const struct words *words)
{
	if (words->finding->initialised_at == MEMPHIS_NONE)
		return;
	put_place(words, "", words->finding->initialised_at);
	if (words->finding->initialised == MEMPHIS_INITIALISED_SEVERAL)
		put_words(words, " and elsewhere");
}

/* Appends the place where the first variable is allocated. */
static void put_site(const struct words *words, const char *before, const char *after)
{
	const struct memphis_variable *variables = words->profile->variables;
	const struct memphis_finding *finding = words->finding;
	bool elsewhere = false;
	size_t i;

	if (!variables[finding->variable].site)
		return;
	for (i = 0; i < finding->part_count; i++)
		elsewhere |= variables[finding->parts[i].variable].site != variables[finding->variable].site;
	put_words(words, before);
	put_string(words, variables[finding->variable].site);
	put_words(words, elsewhere ? " and elsewhere" : "");
	put_words(words, after);
}

static void put_not_sampled(const struct words *words)
{
	const struct memphis_finding *finding = words->finding;
	bool elsewhere = false;
	size_t i;

	for (i = 0; i < finding->part_count; i++)
		elsewhere |= finding->parts[i].initialised != MEMPHIS_INITIALISED_NOT_SAMPLED;
	if (elsewhere) {
		put_words(words, "the initialisation of ");
		put_variable(words, finding->variable);
		put_words(words, " was not sampled");
	} else {
		put_agreeing(words, "its initialisation was not sampled",
			     "their initialisation was not sampled");
	}
}

/* Appends, for first-touch findings, that the thread that wrote first is inferred from the home node of the pages. */
static void put_inference(const struct words *words)
{
	if (words->finding->pattern != MEMPHIS_PATTERN_FIRST_TOUCH)
		return;
	put_words(words, "; that a thread on ");
	put_node(words, words->finding->home);
	put_agreeing(words, " wrote it first is inferred from where its pages are",
		     " wrote them first is inferred from where their pages are");
	put_words(words, ", if they were not bound there");
}

/* Appends what is known about the initialisation. If `told` is true, the sentence already has the place, and it is not repeated if it is certain. */
static void put_initialisation_facts(const struct words *words, bool told)
{
	switch (words->finding->initialised) {
	case MEMPHIS_INITIALISED_NOT_SAMPLED:
		put_not_sampled(words);
		put_inference(words);
		break;
	case MEMPHIS_INITIALISED_NO_STORES:
		put_agreeing(words, "its", "their");
		put_words(words, " initialisation is not known, because stores are not sampled");
		put_inference(words);
		break;
	case MEMPHIS_INITIALISED_PERHAPS:
		put_words(words, "the first sampled stores are");
		put_initialising_place(words);
		put_words(words, ", which continues to store: other code may have initialised ");
		put_agreeing(words, "it", "them");
		break;
	default:
		put_words(words, told ? "" : "initialised");
		if (!told)
			put_initialising_place(words);
	}
}

static void put_allocation_and_start(const struct words *words, bool told)
{
	struct memphis_text text = {0};
	struct words beginning = *words;
	const bool site = words->profile->variables[words->finding->variable].site != 0;

	beginning.text = &text;
	put_initialisation_facts(&beginning, told);
	if (site || text.bytes) {
		put_words(words, " (");
		put_site(words, "allocated at ", text.bytes ? "; " : "");
		put_words(words, text.bytes ? text.text : "");
		put_words(words, ")");
	}
	words->text->failed |= text.failed;
	memphis_text_close(&text);
}

static void put_regions(const struct words *words)
{
	const struct memphis_finding *finding = words->finding;
	size_t i;

	for (i = 0; i < finding->region_count; i++) {
		put_words(words, ", ");
		put_percent(words, finding->regions[i].share);
		put_words(words, " in region ");
		put_string(words, words->profile->regions[finding->regions[i].region].name);
	}
}

void memphis_finding_put_certainty(const struct memphis_finding *finding, struct memphis_text *text)
{
	if (finding->doubt_ppm)
		memphis_text_print(text, ", partly estimated, %.0f %% right",
				   100 * memphis_finding_certainty(finding));
}

static void put_evidence(const struct words *words)
{
	const struct memphis_finding *finding = words->finding;

	memphis_text_print(words->text, ": %" PRIu64 " samples, %.1f %% of the %s (95 %% CI %.1f to %.1f)",
			   finding->samples, 100 * finding->share.share,
			   memphis_population_texts[memphis_patterns[finding->pattern].among],
			   100 * finding->share.low, 100 * finding->share.high);
	memphis_finding_put_certainty(finding, words->text);
	if (finding->processes > 1)
		memphis_text_print(words->text, ", in %" PRIu32 " of %zu processes", finding->processes,
				   words->profile->processes.count);
	if (memphis_finding_has_worst(finding)) {
		memphis_text_print(words->text, ", most (%" PRIu64 ") in ", finding->worst);
		memphis_process_name(words->text, words->process);
	}
	put_regions(words);
}

/* Appends a reservation if only loads were sampled, because nodes that only store are then not detected. */
static void put_loads_only(const struct words *words)
{
	if (words->finding->store_share < 0)
		put_words(words, ", as far as loads show");
}

static void put_interleaving(const struct words *words)
{
	memphis_text_print(words->text, "node %u's part of these accesses would go from ",
			   words->finding->home);
	put_percent(words, words->finding->home_share);
	put_words(words, " to ");
	put_percent(words, words->finding->even_share);
}

/* Appends to advice about initialisation that it cannot move pages that malloc reuses from earlier blocks. */
static void put_reused_pages(const struct words *words)
{
	const size_t part_count = words->finding->part_count;
	const struct memphis_finding *part = part_count ? words->finding->parts : words->finding;

	while (!part->reused)
		if (!part_count || ++part == words->finding->parts + part_count)
			return;
	put_words(words, ", which does not move pages that malloc kept of ");
	if (part->reused_of == MEMPHIS_NONE)
		put_words(words, "other blocks");
	else
		put_variable(words, part->reused_of);
	put_words(words, ", which had the memory of ");
	put_variable(words, part->variable);
	put_words(words, " before: initialise the first blocks there so, or allocate it by mmap(2)");
}

/* Appends to advice about initialisation why it has to include the allocation. */
static void put_small_blocks(const struct words *words)
{
	if (memphis_finding_has_small_blocks(words->finding))
		put_words(
			words,
			", as malloc writes in front of each block, which is smaller than a page, and so places it; or allocate one large block, and initialise that so");
}

static void put_first_touch(const struct words *words)
{
	put_agreeing(words, " lies on ", " lie on ");
	put_node(words, words->finding->home);
	if (words->finding->touched_by != MEMPHIS_NONE) {
		put_words(words, ", where ");
		put_thread(words, words->finding->touched_by);
		put_agreeing(words, " wrote it first", " wrote them first");
		put_initialising_place(words);
	}
	put_agreeing(words, ", and is used by ", ", and are used by ");
	put_nodes(words);
	put_words(words,
		  words->finding->apart ? ", each using a different part" : ", all using the same parts");
	put_loads_only(words);
}

static void try_first_touch(const struct words *words)
{
	if (words->finding->apart) {
		put_words(words, memphis_finding_placing(words->finding));
		put_agreeing(words, " it in parallel", " them in parallel");
		if (has_initialising_line(words))
			put_initialising_place(words);
		put_words(words, ", with each thread writing the part that it uses later");
		put_location(words, "");
		put_allocation_and_start(words, has_initialising_line(words));
		put_reused_pages(words);
		put_small_blocks(words);
		put_agreeing(words, "; or interleave its pages: ", "; or interleave their pages: ");
	} else {
		put_agreeing(words, "interleave its pages", "interleave their pages");
		put_site(words, ", allocated at ", "");
		put_words(words, ": ");
	}
	put_interleaving(words);
	if (!words->finding->apart)
		put_words(
			words,
			", which spreads them, but makes few of them local; if the schedule is dynamic, make it static instead, and let each thread initialise the part that it uses");
}

static void put_partition(const struct words *words)
{
	const struct memphis_finding *finding = words->finding;
	size_t shown =
		finding->range_count < MEMPHIS_FINDING_RANGES ? finding->range_count : MEMPHIS_FINDING_RANGES;
	const struct memphis_finding_range *range;
	size_t i;

	put_agreeing(words, " lies on other nodes than those that use it: ",
		     " lie on other nodes than those that use them: ");
	put_if_only_first(words);
	for (i = 0; i < shown; i++) {
		range = &finding->ranges[i];
		put_words(words, i ? "; " : "");
		if (finding->element_bytes)
			memphis_text_print(words->text, "elements %" PRIu64 "-%" PRIu64,
					   (range->low - finding->low) / finding->element_bytes,
					   (range->high - 1 - finding->low) / finding->element_bytes);
		else
			memphis_text_print(words->text, "0x%" PRIx64 "-0x%" PRIx64, range->low,
					   range->high - 1);
		put_words(words, " are on ");
		put_node(words, range->home);
		put_words(words, " and used by ");
		put_node(words, range->node);
	}
	if (finding->range_count > shown)
		memphis_text_print(words->text, "; and %zu more", finding->range_count - shown);
	put_loads_only(words);
}

bool memphis_finding_is_interleaved(const struct memphis_finding *finding)
{
	uint64_t mixed = 0, all = 0;
	size_t i;

	for (i = 0; i < finding->range_count && i < MEMPHIS_FINDING_RANGES; i++) {
		all += finding->ranges[i].remote;
		mixed += finding->ranges[i].home == MEMPHIS_NODE_UNKNOWN ? finding->ranges[i].remote : 0;
	}
	return 2 * mixed > all;
}

static void try_partition(const struct words *words)
{
	const char *huge;

	put_words(words, "let those threads that use a part ");
	put_words(words, memphis_finding_placing(words->finding));
	put_words(words, " it");
	if (has_initialising_line(words))
		put_initialising_place(words);
	put_allocation_and_start(words, has_initialising_line(words));
	if (memphis_finding_is_interleaved(words->finding))
		put_words(words, ", without interleaving (numactl, mbind(2))");
	put_reused_pages(words);
	put_small_blocks(words);
	put_words(words, ", or divide the work");
	put_location(words, "");
	put_words(words, " as the initialisation was: the same schedule, threads bound to CPUs");
	huge = memphis_setting(&words->process->settings, "huge_pages");
	if (huge && !strcmp(huge, "always"))
		put_words(
			words,
			"; huge pages are always on, and one that has the parts of two threads lies on one node: align parts to 2 MiB, or use small pages there (MADV_NOHUGEPAGE)");
}

static void put_serial(const struct words *words)
{
	put_agreeing(words, " lies on ", " lie on ");
	put_nodes(words);
	put_words(words, words->alone ? ", and the only thread of its process makes the remote accesses: "
				      : ", and one thread makes most of the remote accesses: ");
	put_thread(words, words->finding->thread);
	if (words->finding->node != MEMPHIS_NODE_UNKNOWN) {
		put_words(words, " on ");
		put_node(words, words->finding->node);
	}
	put_words(words, ", ");
	put_percent(words, words->finding->thread_share);
	put_words(words, " of them");
	put_location(words, ", most");
}

static void try_serial(const struct words *words)
{
	put_words(words, "divide the loop");
	put_location(words, "");
	put_words(
		words,
		" among the threads, so that each uses the data of its own node; or let the owners pack the data that the one thread needs");
}

static void put_schedule(const struct words *words)
{
	put_agreeing(words, " lies on ", " lie on ");
	put_nodes(words);
	put_location(words, ", and most remote accesses are made");
	if (words->finding->usual == MEMPHIS_NONE) {
		put_words(words, "; each part lies on one node, but threads of several nodes use it");
		return;
	}
	put_words(words, "; other loops use ");
	put_agreeing(words, "it", "them");
	put_place(words, " on the nodes where the data are, as that", words->finding->usual);
	put_words(words, " does");
}

static void try_schedule(const struct words *words)
{
	put_words(words, "divide the loop");
	put_location(words, "");
	put_words(words, " among the threads in the same way as ");
	if (words->finding->usual != MEMPHIS_NONE)
		put_place(words, "that", words->finding->usual);
	else
		put_words(words, "the initialisation");
	put_words(
		words,
		" (bounds, order and schedule), so that each thread uses the data of its own node; or, if each thread needs data of all nodes, let the owners pack them, or give each node a copy");
}

static void put_lines(const struct words *words, const char *one, const char *several)
{
	if (words->finding->lines == 1)
		put_words(words, one);
	else
		memphis_text_print(words->text, several, words->finding->lines);
	memphis_text_print(words->text, " to and fro between the caches of %" PRIu32 " threads",
			   words->finding->line_threads);
	put_location(words, ", most");
}

static void put_fields(const struct words *words)
{
	if (!words->finding->fields[0])
		return;
	put_words(words, " (");
	put_string(words, words->finding->fields[0]);
	if (words->finding->fields[1]) {
		put_words(words, ", ");
		put_string(words, words->finding->fields[1]);
	}
	put_words(words, ")");
}

static void put_false_sharing(const struct words *words)
{
	put_words(words, " has false sharing: threads use different words");
	put_fields(words);
	put_lines(words, " of one cache line, which goes", " of the same %" PRIu32 " cache lines, which go");
}

static void try_false_sharing(const struct words *words)
{
	put_words(words, "pad or align what each thread writes, so that it has cache lines of its own");
}

static void put_true_sharing(const struct words *words)
{
	put_words(words, " is written by several threads: they share words");
	put_fields(words);
	put_lines(words, " of one cache line, which goes", " in %" PRIu32 " cache lines, which go");
}

static void try_true_sharing(const struct words *words)
{
	put_words(
		words,
		"give each thread a copy of its own and combine them at the end; take a lock less often, or split it");
}

/* If the variables have no common thread or node, the sentence uses plurals: "threads", "the nodes", "other nodes". */
static void put_moved_threads(const struct words *words)
{
	const struct memphis_finding *finding = words->finding;
	const bool one = finding->thread != MEMPHIS_NONE;

	put_agreeing(words, " was left behind: ", " were left behind: ");
	if (one)
		put_thread(words, finding->thread);
	else
		put_words(words, "threads");
	put_agreeing(words, " began to use it on ", " began to use them on ");
	if (finding->home != MEMPHIS_NODE_UNKNOWN)
		put_node(words, finding->home);
	else
		put_words(words, "the nodes");
	put_words(words, finding->home != MEMPHIS_NODE_UNKNOWN ? "," : "");
	put_agreeing(words, " where its pages are, and now ", " where their pages are, and now ");
	put_words(words, one ? "uses " : "use ");
	put_agreeing(words, "it from ", "them from ");
	if (finding->node != MEMPHIS_NODE_UNKNOWN)
		put_node(words, finding->node);
	else
		put_words(words, "other nodes");
}

static void try_moved_threads(const struct words *words)
{
	put_words(
		words,
		"bind threads to CPUs (OMP_PROC_BIND, taskset, numactl --cpunodebind), or move the pages after them (migratepages(8), move_pages(2))");
}

static void put_ping_pong(const struct words *words)
{
	const struct memphis_finding *finding = words->finding;

	put_words(words, " went to and fro between ");
	put_nodes(words);
	put_words(words, ": ");
	put_if_only_first(words);
	memphis_text_print(words->text, "pages were moved %" PRIu32 " times or more, and came back",
			   finding->moves);
	if (finding->thread == MEMPHIS_NONE)
		return;
	put_words(words, "; ");
	put_thread(words, finding->thread);
	put_words(words, ", which makes ");
	put_percent(words, finding->thread_share);
	put_words(words, " of the remote accesses, ran on several nodes, too");
}

static void try_ping_pong(const struct words *words)
{
	if (words->finding->thread != MEMPHIS_NONE) {
		put_words(
			words,
			"bind the thread to CPUs of one node (OMP_PROC_BIND, taskset, numactl --cpunodebind), so that its pages may stay there");
		return;
	}
	put_agreeing(words, "bind it to the node that uses it most",
		     "bind them to the node that uses them most");
	put_words(
		words,
		" (mbind(2), numactl --membind), so that automatic NUMA balancing leaves the pages alone, or turn that off (sysctl kernel.numa_balancing=0); if the nodes take turns, give each a part or a copy of its own");
	put_location(words, ",");
}

static void put_moved_pages(const struct words *words)
{
	put_agreeing(words, " was moved away from ", " were moved away from ");
	if (words->finding->home != MEMPHIS_NODE_UNKNOWN) {
		put_node(words, words->finding->home);
		put_words(words, ",");
	} else {
		put_words(words, "the nodes");
	}
	put_agreeing(words, " whose threads go on using it", " whose threads go on using them");
}

static void try_moved_pages(const struct words *words)
{
	put_words(
		words,
		"find out who moves the pages (automatic NUMA balancing, migratepages, cpusets), and bind the memory to its users' node (mbind(2), numactl)");
}

static void put_moved_to_users(const struct words *words)
{
	put_words(words, " lay on ");
	put_node(words, words->finding->home);
	put_agreeing(words, " until its", " until their");
	put_words(words,
		  " pages were moved to the nodes that use them; the remote accesses were made before");
}

static void try_moved_to_users(const struct words *words)
{
	put_words(
		words,
		"nothing, if the run goes on much longer: the remote accesses ended when the pages were moved (automatic NUMA balancing); else let those threads that use a part initialise it");
	if (has_initialising_line(words))
		put_initialising_place(words);
	put_allocation_and_start(words, has_initialising_line(words));
	put_words(words, ", so that it is there from the start");
}

static void put_read_shared(const struct words *words)
{
	const struct memphis_finding *finding = words->finding;

	put_agreeing(words, " is read by ", " are read by ");
	put_nodes(words);
	put_words(words, ", all reading the same parts, and since then hardly written (");
	put_if_only_first(words);
	memphis_text_print(words->text, "%.1f %%", 100 * finding->store_share);
	put_words(words, " of the samples are stores)");
	if (finding->home != MEMPHIS_NODE_UNKNOWN) {
		put_agreeing(words, "; it lies on ", "; they lie on ");
		put_node(words, finding->home);
	}
}

static void try_read_shared(const struct words *words)
{
	put_agreeing(words, "give each node a copy", "give each node a copy of each");
	put_allocation_and_start(words, false);
	if (words->finding->home == MEMPHIS_NODE_UNKNOWN) {
		put_words(words, "; or make the schedule static, if it is dynamic");
		return;
	}
	put_agreeing(words, "; or interleave its pages: ", "; or interleave their pages: ");
	put_interleaving(words);
}

static void put_undecided(const struct words *words)
{
	put_agreeing(words, " lies on ", " lie on ");
	put_node(words, words->finding->home);
	put_agreeing(words, ", and is used by ", ", and are used by ");
	put_nodes(words);
	put_words(words, "; these samples are too few to tell whether ");
	if (memphis_finding_parts_known(words->finding))
		put_agreeing(words, "it is only read", "they are only read");
	else
		put_words(words, "each node uses a different part");
}

/* Appends what gives enough samples for a decision: a shorter sampling period, a longer run, or both. */
static void put_period(const struct words *words)
{
	memphis_put_more_samples(&words->process->settings, memphis_finding_more(words->finding),
				 words->text);
}

static void try_undecided(const struct words *words)
{
	put_period(words);
	put_words(words, memphis_finding_parts_known(words->finding)
				 ? " to know whether each node may have a copy"
				 : " to know whether threads that use a part should initialise it");
	put_allocation_and_start(words, false);
	put_agreeing(words, "; or interleave its pages: ", "; or interleave their pages: ");
	put_interleaving(words);
}

static void put_memory_only(const struct words *words)
{
	put_agreeing(words, " lies on ", " lie on ");
	put_node(words, words->finding->home);
	put_words(words, ", which has no CPUs: every access is remote");
}

static void try_memory_only(const struct words *words)
{
	put_agreeing(words, "place it", "place them");
	put_words(words, " on a node with CPUs (mbind(2), numactl --membind)");
	put_site(words, ", allocated at ", "");
	put_words(words, ", and leave less used data there");
}

static void put_read_bytes(const struct words *words)
{
	const struct memphis_estimate *bytes = &words->finding->read_bytes;

	put_if_only_first(words);
	memphis_text_print(words->text,
			   "%.0f of the %d bytes of each cache line that it fetches (95 %% CI %.0f to %.0f)",
			   bytes->value, MEMPHIS_CACHE_LINE, floor(bytes->low), ceil(bytes->high));
}

static void put_strided(const struct words *words)
{
	put_agreeing(words, " is read in small parts", " are read in small parts");
	put_location(words, "");
	put_words(words, ": ");
	put_read_bytes(words);
}

static void put_indirect(const struct words *words)
{
	put_agreeing(words, " is read at addresses that come from other data",
		     " are read at addresses that come from other data");
	put_location(words, "");
	put_words(words, ": ");
	put_read_bytes(words);
}

static void try_indirect(const struct words *words)
{
	put_words(words, "order the elements, or the indices by which they are found");
	put_location(words, ",");
	put_words(
		words,
		", so that those used one after the other are neighbours; or prefetch those that are needed next; or use smaller elements");
}

static void try_strided(const struct words *words)
{
	put_words(words, "interchange the loops");
	put_location(words, "");
	put_words(
		words,
		", so that the innermost index runs over neighbouring elements; or pack the data once, or change the layout, so that data used together share cache lines");
}

/*
 * Appends the advice for a process with one thread. Its memory is remote because it was touched before the process
 * moved to another node, or because the node was full.
 */
static void try_binding(const struct words *words)
{
	put_words(words, "bind ");
	put_words(words, memphis_setting(&words->process->settings, "rank") ? "each rank" : "the process");
	put_words(
		words,
		" and its memory to one node before it allocates (numactl --cpunodebind=N --membind=N, srun --cpu-bind --mem-bind=local, mpirun --bind-to numa), so that it first touches its memory on the node where it stays");
	put_allocation_and_start(words, false);
	put_words(
		words,
		"; if it is bound already, check whether the pages were touched before that, or whether its node was full");
}

static const struct wording {
	void (*sentence)(const struct words *words), (*advice)(const struct words *words);
	/* advice for a process with one thread; NULL: the same advice */
	void (*alone)(const struct words *words);
} wordings[MEMPHIS_PATTERNS] = {
	[MEMPHIS_PATTERN_FIRST_TOUCH] = {put_first_touch, try_first_touch, try_binding},
	[MEMPHIS_PATTERN_PARTITION] = {put_partition, try_partition, try_binding},
	[MEMPHIS_PATTERN_SERIAL] = {put_serial, try_serial, try_binding},
	[MEMPHIS_PATTERN_SCHEDULE] = {put_schedule, try_schedule, NULL},
	[MEMPHIS_PATTERN_FALSE_SHARING] = {put_false_sharing, try_false_sharing, NULL},
	[MEMPHIS_PATTERN_TRUE_SHARING] = {put_true_sharing, try_true_sharing, NULL},
	[MEMPHIS_PATTERN_MOVED_THREADS] = {put_moved_threads, try_moved_threads, NULL},
	[MEMPHIS_PATTERN_PING_PONG] = {put_ping_pong, try_ping_pong, NULL},
	[MEMPHIS_PATTERN_MOVED_PAGES] = {put_moved_pages, try_moved_pages, NULL},
	[MEMPHIS_PATTERN_MOVED_TO_USERS] = {put_moved_to_users, try_moved_to_users, NULL},
	[MEMPHIS_PATTERN_READ_SHARED] = {put_read_shared, try_read_shared, try_binding},
	[MEMPHIS_PATTERN_UNDECIDED] = {put_undecided, try_undecided, try_binding},
	[MEMPHIS_PATTERN_MEMORY_ONLY] = {put_memory_only, try_memory_only, NULL},
	[MEMPHIS_PATTERN_STRIDED] = {put_strided, try_strided, NULL},
	[MEMPHIS_PATTERN_INDIRECT] = {put_indirect, try_indirect, NULL},
};

/* Appends that the loads wait for the memory controller, if the memory is crowded (crowded.h). */
static void put_crowded(const struct words *words)
{
	const struct memphis_finding *finding = words->finding;

	if (finding->own_cycles > 0)
		memphis_text_print(
			words->text,
			"; node %u's memory is crowded: it serves nearly all loads from memory, and those of node %u itself take as long (%.0f cycles) as those of other nodes (%.0f)",
			finding->home, finding->home, finding->own_cycles, finding->others_cycles);
}

static void put_sentence(const struct words *words)
{
	wordings[words->finding->pattern].sentence(words);
	put_crowded(words);
}

static struct words make_words(const struct memphis_finding *finding, const struct memphis_profile *profile,
			       struct memphis_text *text)
{
	const struct memphis_process *process = &profile->processes.list[finding->process];

	return (struct words){.finding = finding,
			      .profile = profile,
			      .process = process,
			      .alone = memphis_finding_is_of_one_thread(finding, profile),
			      .text = text};
}

void memphis_finding_describe(const struct memphis_finding *finding, const struct memphis_profile *profile,
			      struct memphis_text *text)
{
	const struct words words = make_words(finding, profile, text);

	put_sentence(&words);
}

void memphis_finding_put_variables(const struct memphis_finding *finding,
				   const struct memphis_profile *profile, struct memphis_text *text)
{
	const struct words words = make_words(finding, profile, text);

	put_variables(&words);
}

void memphis_finding_put_stride(const struct memphis_finding *finding, const struct memphis_profile *profile,
				struct memphis_text *text)
{
	const struct words words = make_words(finding->stride, profile, text);

	put_variables(&words);
	wordings[finding->stride->pattern].sentence(&words);
}

void memphis_finding_locate(const struct memphis_finding *finding, const struct memphis_profile *profile,
			    struct memphis_text *text)
{
	const struct words words = make_words(finding, profile, text);

	put_location(&words, "");
}

/* Appends to the advice about placement the advice about the stride of the same loop, for example "; and interchange the loops ...". */
static void add_stride_advice(const struct words *words)
{
	struct words stride = *words;

	stride.finding = words->finding->stride;
	put_words(words, "; and ");
	wordings[stride.finding->pattern].advice(&stride);
}

bool memphis_finding_is_at_places(const struct memphis_finding *finding,
				  const struct memphis_profile *profile)
{
	const struct memphis_profile_frame *first, *frame;
	size_t i;

	if (finding->instruction == MEMPHIS_NONE)
		return false;
	first = memphis_program_frame(profile, finding->instruction);
	for (i = 0; i < finding->part_count; i++) {
		if (finding->parts[i].instruction == MEMPHIS_NONE)
			continue;
		frame = memphis_program_frame(profile, finding->parts[i].instruction);
		if (frame->path != first->path || frame->line != first->line)
			return true;
	}
	return false;
}

void memphis_finding_put_initialised(const struct memphis_finding *finding,
				     const struct memphis_profile *profile, struct memphis_text *text)
{
	const struct words words = make_words(finding, profile, text);

	if (has_initialising_line(&words))
		put_initialising_place(&words);
	else
		put_site(&words, " what is allocated at ", "");
}

void memphis_finding_put_period(const struct memphis_finding *finding, const struct memphis_profile *profile,
				struct memphis_text *text)
{
	const struct words words = make_words(finding, profile, text);

	put_period(&words);
}

bool memphis_finding_needs_binding(const struct memphis_finding *finding,
				   const struct memphis_profile *profile)
{
	return wordings[finding->pattern].alone && make_words(finding, profile, NULL).alone;
}

int memphis_finding_word(struct memphis_finding *finding, const struct memphis_profile *profile)
{
	const struct wording *wording = &wordings[finding->pattern];
	struct memphis_text sentence = {0}, advice = {0};
	struct words words = make_words(finding, profile, &sentence);

	put_variables(&words);
	put_sentence(&words);
	put_evidence(&words);
	if (finding->stride) {
		put_words(&words, "; ");
		memphis_finding_put_stride(finding, profile, &sentence);
	}
	words.text = &advice;
	(words.alone && wording->alone ? wording->alone : wording->advice)(&words);
	if (finding->stride)
		add_stride_advice(&words);
	finding->sentence = sentence.text;
	finding->advice = advice.text;
	return sentence.failed || advice.failed ? -ENOMEM : 0;
}
