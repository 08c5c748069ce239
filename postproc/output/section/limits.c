// SPDX-License-Identifier: BSD-3-Clause
/* Compares the traffic of memory and links with their measured bandwidth: findings and a table, as text and as JSON. */
#include <math.h>
#include <stdio.h>

#include "base/layout.h"
#include "output/section/parts.h"
#include "view/counters_table.h"

#define LABEL   "   %-10s"
#define HANGING 10

static const char *print_rate(char buffer[MEMPHIS_COUNTER_VALUE_BYTES], double bytes_per_second)
{
	return memphis_counters_print(buffer, bytes_per_second, "bytes");
}

static bool is_link(const struct memphis_limit *limit)
{
	return limit->from != MEMPHIS_NODE_UNKNOWN;
}

static void put_region(struct memphis_text *text, const struct memphis_limit *limit)
{
	static const char *const places[] = {[MEMPHIS_COUNTER_IN_NONE] = "(outside any caliper)",
					     [MEMPHIS_COUNTER_IN_UNKNOWN] = "(all that is selected)"};

	memphis_text_put_plain(text, limit->region ? limit->region : places[limit->place]);
}

static void put_place(struct memphis_text *text, const struct memphis_limit *limit)
{
	if (is_link(limit))
		memphis_text_print(text, "link from node %u to memory of node %u", limit->from, limit->node);
	else if (*limit->nodes)
		memphis_text_print(text, "memory of nodes %s together", limit->nodes);
	else
		memphis_text_print(text, "memory of node %u", limit->node);
}

/* Appends the share as "84 %". If it is an estimate, appends "84 % (95 % CI 81 to 88)". */
static void put_share(struct memphis_text *text, const struct memphis_limit *limit)
{
	const struct memphis_estimate *share = &limit->share;

	memphis_text_print(text, "%.0f %%", 100 * share->value);
	if (!limit->counted)
		memphis_text_print(text, " (95 %% CI %.0f to %.0f)", 100 * share->low, 100 * share->high);
}

static void put_sentence(const struct memphis_limit *limit, struct memphis_text *text)
{
	char read[MEMPHIS_COUNTER_VALUE_BYTES], written[MEMPHIS_COUNTER_VALUE_BYTES],
		most[MEMPHIS_COUNTER_VALUE_BYTES];

	put_region(text, limit);
	memphis_text_put(text, ": the ");
	put_place(text, limit);
	memphis_text_put(text, " is used to ");
	put_share(text, limit);
	memphis_text_print(text, " of what this machine can do: %s/s read", print_rate(read, limit->read));
	if (limit->counted)
		memphis_text_print(text, " and %s/s written", print_rate(written, limit->write));
	memphis_text_print_plain(text, " of %s/s%s, as memphis node measured on %s",
				 print_rate(most, limit->limit), limit->counted ? " at this mix" : "",
				 limit->measured->host);
	if (!limit->counted)
		memphis_text_put(text, "; estimated from loads alone, so it is at least that");
	if (limit->hosts > 1 && limit->host)
		memphis_text_print_plain(text, "; host %s, the highest of %zu", limit->host, limit->hosts);
}

/* Appends advice. It depends on whether the memory of other nodes, or other links, still have bandwidth. */
static void put_advice(const struct memphis_limit *limit, struct memphis_text *text)
{
	if (is_link(limit) && limit->is_memory_only)
		memphis_text_print(
			text,
			"move the data to node %u: the link carries no more, whatever the threads do, and node %u has no CPUs",
			limit->from, limit->node);
	else if (is_link(limit))
		memphis_text_print(
			text,
			"move the data to node %u, or the threads that use it to node %u: the link carries no more, whatever the threads do",
			limit->from, limit->node);
	else if (limit->others < limit->share.value / 2)
		memphis_text_print(
			text,
			"spread the data over the nodes (first touch in parallel, or interleaved pages): the memory of the other nodes is used to %.0f %% at most%s",
			100 * limit->others, limit->counted ? "" : ", as far as samples show");
	else
		memphis_text_put(
			text,
			"move fewer bytes: use each line more often while it is in a cache (blocking, loop fusion), smaller types, stores that bypass the caches; placing the data otherwise does not help, and neither do more threads");
	if (limit->share.low > MEMPHIS_LIMIT_DOUBT)
		memphis_text_put(
			text,
			"; but more than was measured can't be: measure the machine again, while it is idle and with all its cores");
}

static void put_finding(const struct memphis_limit *limit, struct memphis_text *text)
{
	struct memphis_text lines = {.color = text->color};

	memphis_text_style(&lines, MEMPHIS_BOLD);
	memphis_text_print(&lines, "saturated-%s: ", is_link(limit) ? "link" : "memory");
	put_place(&lines, limit);
	memphis_text_style(&lines, MEMPHIS_PLAIN);
	memphis_text_print(&lines, "\n" LABEL, "what:");
	put_sentence(limit, &lines);
	memphis_text_print(&lines, "\n" LABEL, "try:");
	put_advice(limit, &lines);
	memphis_text_put(&lines, "\n");
	memphis_layout_wrap(text, &lines, HANGING);
	memphis_text_close(&lines);
}

static void put_limit_row(struct memphis_text *text, const struct memphis_limit *limit)
{
	char interval[32] = "-", buffer[MEMPHIS_COUNTER_VALUE_BYTES];

	if (!limit->counted)
		snprintf(interval, sizeof(interval), "%.1f to %.1f", 100 * limit->share.low,
			 100 * limit->share.high);
	memphis_text_print(text, "%7.1f %% %16s", 100 * limit->share.value, interval);
	memphis_text_print(text, " %10s", print_rate(buffer, limit->read));
	memphis_text_print(text, " %10s", limit->counted ? print_rate(buffer, limit->write) : "-");
	memphis_text_print(text, " %10s  ", print_rate(buffer, limit->limit));
	put_place(text, limit);
	memphis_text_put(text, ", ");
	put_region(text, limit);
	if (limit->hosts > 1 && limit->host)
		memphis_text_print_plain(text, ", host %s of %zu", limit->host, limit->hosts);
	memphis_text_put(text, "\n");
}

/* Appends at most `top` findings, those with the largest shares. 0 means all. */
static void put_findings(const struct memphis_limits *limits, size_t top, struct memphis_text *text)
{
	const struct memphis_limit *limit;
	size_t found = 0;

	for (limit = limits->list; limit < limits->list + limits->count; limit++)
		if (limit->is_finding && (found++ < top || !top))
			put_finding(limit, text);
	if (top && found > top)
		memphis_text_print(text, "... and %zu more from %.0f %% on\n", found - top,
				   100 * MEMPHIS_LIMIT_SHARE);
}

/*
 * Appends the number of hosts without a measurement, and the name of the host whose limits are used instead.
 * If one file was given for all hosts, each sentence names the host itself, and nothing is appended.
 */
static void put_unmeasured_hosts(const struct memphis_report *report, struct memphis_text *text)
{
	const size_t count = report->limits.not_measured;

	if (!count || !*report->weights.list->host)
		return;
	memphis_text_print_plain(text, "%zu host%s no measurement (HOST.node); %s limits are those of %s\n",
				 count, count == 1 ? " has" : "s have", count == 1 ? "its" : "their",
				 report->weights.matrices->host);
}

/* Appends how to get estimates for a single region. A region may reach a limit that the whole run does not reach. */
static void put_region_hint(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_limits *limits = &report->limits;
	size_t i;

	for (i = 0; i < limits->count; i++)
		if (!limits->list[i].counted && !limits->list[i].region && report->region_times.shown_count) {
			memphis_text_put(
				text,
				"estimates from samples are of all that is selected; on the sample files, --region NAME estimates a caliper alone\n");
			return;
		}
}

void memphis_output_limits_text(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_limits *limits = &report->limits;
	const size_t shown = memphis_shown(limits->count, report->view->top);
	size_t i;

	if (!limits->count && !limits->counted)
		return;
	memphis_layout_put_head(text, "MEMORY BANDWIDTH");
	if (!limits->count) {
		if (report->weights.path)
			memphis_text_print_plain(
				text, "%s has no bandwidth of these nodes: ", report->weights.path);
		else
			memphis_text_put(text, "what the machine can do is not known: ");
		memphis_text_put(text,
				 "memphis node --measure --save HOST.node measures it (--node-baseline)\n\n");
		return;
	}
	put_findings(limits, report->view->top, text);
	memphis_text_print(text, "%9s %16s %10s %10s %10s  %s\n", "share", "95 % CI", "read/s", "written/s",
			   "limit/s", "of");
	for (i = 0; i < shown; i++)
		put_limit_row(text, &limits->list[i]);
	if (shown < limits->count)
		memphis_text_print(text, "%9s %zu more, up to %.1f %%\n", "and", limits->count - shown,
				   100 * limits->list[shown - 1].share.value);
	put_region_hint(report, text);
	put_unmeasured_hosts(report, text);
	memphis_text_put(text, "\n");
}

void memphis_output_limits_line(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_limit *limit = report->limits.list;

	if (!report->limits.count)
		return;
	memphis_text_print(text, "%-13s", "bandwidth:");
	put_share(text, limit);
	memphis_text_put(text, " of what the ");
	put_place(text, limit);
	memphis_text_put(text, " can do");
	if (limit->region) {
		memphis_text_put(text, ", in ");
		put_region(text, limit);
	} else if (limit->place == MEMPHIS_COUNTER_IN_NONE) {
		memphis_text_put(text, ", outside any caliper");
	}
	memphis_text_put(text, limit->is_finding ? ": saturated, see MEMORY BANDWIDTH\n" : "\n");
}

static void put_closed_text(struct memphis_json *json, const char *key, struct memphis_text *text)
{
	memphis_json_string(json, key, text->failed ? NULL : text->text);
	json->text->failed |= text->failed;
	memphis_text_close(text);
}

static void put_limit_json(struct memphis_json *json, const struct memphis_limit *limit)
{
	struct memphis_text sentence = {0}, advice = {0};

	memphis_json_open(json, NULL, '{');
	memphis_json_string(json, "of", is_link(limit) ? "link" : "memory");
	memphis_json_node(json, "node", limit->node);
	memphis_json_string(json, "nodes", *limit->nodes ? limit->nodes : NULL);
	memphis_json_node(json, "from", limit->from);
	memphis_json_string(json, "by", limit->counted ? "counters" : "samples");
	memphis_json_string(json, "region", limit->region);
	memphis_json_string(json, "place",
			    limit->counted ? memphis_counters_places[limit->place] : "selected");
	memphis_json_string(json, "host", limit->host);
	memphis_json_number(json, "hosts", limit->hosts);
	memphis_json_real(json, "seconds", (double)limit->ns / 1e9);
	memphis_json_real(json, "read_per_second", limit->read);
	memphis_json_real(json, "written_per_second", limit->counted ? limit->write : NAN);
	memphis_json_real(json, "limit_per_second", limit->limit);
	memphis_json_string(json, "measured_on", limit->measured->host);
	memphis_json_real(json, "share", limit->share.value);
	memphis_json_real(json, "share_low", limit->share.low);
	memphis_json_real(json, "share_high", limit->share.high);
	memphis_json_real(json, "shared", limit->shared);
	if (limit->is_finding) {
		put_sentence(limit, &sentence);
		put_advice(limit, &advice);
		put_closed_text(json, "sentence", &sentence);
		put_closed_text(json, "advice", &advice);
	}
	memphis_json_close(json, '}');
}

/*
 * Writes the bandwidth of each node's memory as a function of the share of writes. The page needs this to
 * draw a limit over time.
 */
static void put_node_limits(struct memphis_json *json, const struct memphis_limits *limits)
{
	size_t i, tenths;

	memphis_json_open(json, "nodes", '[');
	for (i = 0; i < limits->node_count; i++) {
		memphis_json_open(json, NULL, '{');
		memphis_json_number(json, "node", limits->nodes[i].node);
		memphis_json_open(json, "by_tenths_of_writes", '[');
		for (tenths = 0; tenths <= MEMPHIS_LIMIT_TENTHS; tenths++)
			memphis_json_real(json, NULL, limits->nodes[i].by_tenths[tenths]);
		memphis_json_close(json, ']');
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

void memphis_output_limits_json(const struct memphis_report *report, struct memphis_json *json)
{
	const struct memphis_limits *limits = &report->limits;
	size_t i;

	if (!limits->count && !limits->counted)
		return;
	memphis_json_open(json, "limits", '{');
	memphis_json_string(json, "measured", report->weights.path);
	memphis_json_string(json, "measured_on",
			    report->weights.path ? report->weights.matrices->host : NULL);
	memphis_json_number(json, "hosts_measured", report->weights.count);
	memphis_json_number(json, "hosts_not_measured", limits->not_measured);
	memphis_json_open(json, "rows", '[');
	for (i = 0; i < limits->count; i++)
		put_limit_json(json, &limits->list[i]);
	memphis_json_close(json, ']');
	if (limits->count)
		put_node_limits(json, limits);
	memphis_json_close(json, '}');
}
