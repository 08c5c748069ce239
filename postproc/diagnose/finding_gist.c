// SPDX-License-Identifier: BSD-3-Clause
/* Describes findings in a few words. */
#include "diagnose/finding_gist.h"

#include <inttypes.h>

#include "diagnose/finding_text.h"
#include "diagnose/undecided.h"
#include "read/thread.h"

struct gist {
	const struct memphis_finding *finding;
	const struct memphis_profile *profile;
	struct memphis_text *text;
};

static void put_node(const struct gist *gist, uint16_t node)
{
	if (node == MEMPHIS_NODE_UNKNOWN)
		memphis_text_put(gist->text, "several nodes");
	else
		memphis_text_print(gist->text, "node %u", node);
}

/* Appends the nodes of the finding, for example "node 3" or "nodes 0, 2 to 5". The nodes must be sorted. */
static void put_nodes(const struct gist *gist)
{
	const struct memphis_finding *finding = gist->finding;
	const uint16_t *nodes = finding->nodes;
	const char *separator = "";
	size_t i, last;

	if (finding->node_count < 2) {
		put_node(gist, finding->node_count ? nodes[0] : MEMPHIS_NODE_UNKNOWN);
		return;
	}
	memphis_text_put(gist->text, "nodes ");
	for (i = 0; i < finding->node_count; i = last + 1) {
		for (last = i; last + 1 < finding->node_count && nodes[last + 1] == nodes[last] + 1; last++)
			;
		memphis_text_print(gist->text, "%s%u", separator, nodes[i]);
		if (last > i)
			memphis_text_print(gist->text, last > i + 1 ? " to %u" : ", %u", nodes[last]);
		separator = ", ";
	}
}

static void put_first_touch(const struct gist *gist)
{
	memphis_text_put(gist->text, "on ");
	put_node(gist, gist->finding->home);
	memphis_text_put(gist->text, ", used by ");
	put_nodes(gist);
	memphis_text_put(gist->text,
			 gist->finding->apart ? ", each a different part" : ", all the same parts");
}

static void put_remedy_first_touch(const struct gist *gist)
{
	if (gist->finding->apart) {
		memphis_text_put(gist->text, memphis_finding_placing(gist->finding));
		memphis_text_put(gist->text, " in parallel");
		memphis_finding_put_initialised(gist->finding, gist->profile, gist->text);
		memphis_text_put(gist->text, ", each thread the part that it uses");
	} else {
		memphis_text_put(
			gist->text,
			"interleave the pages, or make a dynamic schedule static and initialise in parallel");
	}
}

static void put_partition(const struct gist *gist)
{
	memphis_text_put(gist->text,
			 memphis_finding_is_interleaved(gist->finding)
				 ? "pages are spread over several nodes, each of which uses a part"
				 : "parts are used by other nodes than those that hold them");
}

static void put_remedy_partition(const struct gist *gist)
{
	if (memphis_finding_is_interleaved(gist->finding))
		memphis_text_put(gist->text, "do not interleave the pages; ");
	memphis_text_put(gist->text, memphis_finding_placing(gist->finding));
	memphis_finding_put_initialised(gist->finding, gist->profile, gist->text);
	memphis_text_put(gist->text, " by the threads that use the data, with the same schedule");
}

static void put_serial(const struct gist *gist)
{
	const struct memphis_process *process = &gist->profile->processes.list[gist->finding->process];

	if (memphis_finding_needs_binding(gist->finding, gist->profile) ||
	    gist->finding->thread == MEMPHIS_NONE)
		memphis_text_put(gist->text, "one thread");
	else
		memphis_text_print(gist->text, "thread %" PRIu32,
				   process->threads[gist->finding->thread].tid);
	if (gist->finding->node != MEMPHIS_NODE_UNKNOWN)
		memphis_text_print(gist->text, " on node %u", gist->finding->node);
	memphis_text_print(gist->text, " makes %.0f %% of the remote accesses; the data are on ",
			   100 * gist->finding->thread_share);
	put_nodes(gist);
}

/* If no other loop is known that uses the data on their nodes, the loop differs from the initialisation. */
static void put_schedule(const struct gist *gist)
{
	memphis_text_put(gist->text, gist->finding->usual == MEMPHIS_NONE
					     ? "each part is on one node, but several nodes use it"
					     : "other loops use their own nodes' data, this one does not");
}

static void put_remedy_schedule(const struct gist *gist)
{
	memphis_text_print(
		gist->text,
		"divide the loop as the %s (schedule) if each thread needs a part; else pack or copy the data",
		gist->finding->usual == MEMPHIS_NONE ? "initialisation was" : "others are");
}

static void put_read_shared(const struct gist *gist)
{
	memphis_text_put(gist->text, "read by ");
	put_nodes(gist);
	memphis_text_put(gist->text, ", all the same parts, hardly written");
	if (gist->finding->home != MEMPHIS_NODE_UNKNOWN)
		memphis_text_print(gist->text, "; on node %u", gist->finding->home);
}

/* If each node has the pages of a part, a static schedule may keep the accesses to this part local. */
static void put_remedy_read_shared(const struct gist *gist)
{
	memphis_text_put(gist->text, gist->finding->home == MEMPHIS_NODE_UNKNOWN
					     ? "give each node a copy, or make a dynamic schedule static"
					     : "give each node a copy, or interleave the pages");
}

static void put_undecided(const struct gist *gist)
{
	memphis_text_put(gist->text, "on ");
	put_node(gist, gist->finding->home);
	memphis_text_put(gist->text, ", used by ");
	put_nodes(gist);
	memphis_text_put(gist->text, "; too few samples to tell how");
}

static void put_remedy_undecided(const struct gist *gist)
{
	memphis_finding_put_period(gist->finding, gist->profile, gist->text);
	memphis_text_put(gist->text, "; or interleave the pages");
}

static void put_memory_only(const struct gist *gist)
{
	memphis_text_put(gist->text, "on ");
	put_node(gist, gist->finding->home);
	memphis_text_put(gist->text, ", which has no CPUs");
}

static void put_read_bytes(const struct gist *gist)
{
	memphis_text_print(gist->text, "%.0f of the %d bytes of each cache line are used",
			   gist->finding->read_bytes.value, MEMPHIS_CACHE_LINE);
}

static void put_indirect(const struct gist *gist)
{
	put_read_bytes(gist);
	memphis_text_put(gist->text, ", at addresses that come from other data");
}

/*
 * How to describe the problem and the remedy of each pattern. A function is used if the words depend on the finding,
 * and a fixed text otherwise.
 */
static const struct short_wording {
	void (*put)(const struct gist *gist), (*put_remedy)(const struct gist *gist);
	const char *what, *remedy;
} wordings[MEMPHIS_PATTERNS] = {
	[MEMPHIS_PATTERN_FIRST_TOUCH] = {.put = put_first_touch, .put_remedy = put_remedy_first_touch},
	[MEMPHIS_PATTERN_PARTITION] = {.put = put_partition, .put_remedy = put_remedy_partition},
	[MEMPHIS_PATTERN_SERIAL] =
		{.put = put_serial,
		 .remedy = "divide the loop among the threads, or let the owners pack the data"},
	[MEMPHIS_PATTERN_SCHEDULE] = {.put = put_schedule, .put_remedy = put_remedy_schedule},
	[MEMPHIS_PATTERN_FALSE_SHARING] = {.what = "threads use different words of the same cache lines",
					   .remedy = "pad or align what each thread writes"},
	[MEMPHIS_PATTERN_TRUE_SHARING] = {.what = "several threads write the same words",
					  .remedy = "give each thread a copy, and combine them at the end"},
	[MEMPHIS_PATTERN_MOVED_THREADS] = {.what = "threads moved away from the nodes of their data",
					   .remedy = "bind the threads to CPUs (OMP_PROC_BIND, taskset)"},
	[MEMPHIS_PATTERN_MOVED_PAGES] =
		{.what = "pages were moved away from the nodes that use them",
		 .remedy = "find out who moves pages (NUMA balancing, cpusets), and bind the memory"},
	[MEMPHIS_PATTERN_MOVED_TO_USERS] =
		{.what = "pages were moved to their users; the remote accesses were made before",
		 .remedy = "nothing, if the run is long; else let the threads that use a part initialise it"},
	[MEMPHIS_PATTERN_PING_PONG] =
		{.what = "pages are moved to and fro between nodes",
		 .remedy = "find out who moves pages (NUMA balancing), and place them once"},
	[MEMPHIS_PATTERN_READ_SHARED] = {.put = put_read_shared, .put_remedy = put_remedy_read_shared},
	[MEMPHIS_PATTERN_UNDECIDED] = {.put = put_undecided, .put_remedy = put_remedy_undecided},
	[MEMPHIS_PATTERN_MEMORY_ONLY] = {.put = put_memory_only, .remedy = "place it on a node with CPUs"},
	[MEMPHIS_PATTERN_STRIDED] = {.put = put_read_bytes,
				     .remedy = "interchange the loops, or change the layout"},
	[MEMPHIS_PATTERN_INDIRECT] = {.put = put_indirect,
				      .remedy = "order the elements or their indices, or prefetch"},
};

void memphis_finding_put_gist(const struct memphis_finding *finding, const struct memphis_profile *profile,
			      struct memphis_text *text)
{
	const struct short_wording *wording = &wordings[finding->pattern];
	const struct gist gist = {finding, profile, text};

	if (wording->put)
		wording->put(&gist);
	else
		memphis_text_put(text, wording->what);
	if (finding->own_cycles > 0)
		memphis_text_print(text, "; node %u's memory is crowded", finding->home);
	if (finding->stride) {
		memphis_text_put(text, "; ");
		memphis_finding_put_gist(finding->stride, profile, text);
	}
}

void memphis_finding_put_remedy(const struct memphis_finding *finding, const struct memphis_profile *profile,
				struct memphis_text *text)
{
	const struct short_wording *wording = &wordings[finding->pattern];
	const struct gist gist = {finding, profile, text};

	if (memphis_finding_needs_binding(finding, profile))
		memphis_text_put(text, "bind the process and its memory to one node before it allocates");
	else if (wording->put_remedy)
		wording->put_remedy(&gist);
	else
		memphis_text_put(text, wording->remedy);
	if (finding->stride) {
		memphis_text_put(text, "; ");
		memphis_finding_put_remedy(finding->stride, profile, text);
	}
}
