// SPDX-License-Identifier: BSD-3-Clause
#include "top/live_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/order.h"
#include "base/layout.h"
#include "base/statistics.h"
#include "read/process_name.h"
#include "top/live_variables.h"

/* Number of rows besides the title, the messages and the rows of the tables: the keys, two blank lines and three headings. */
#define FIXED_ROWS     6
#define HEIGHT_WRAPPED 20 /* minimum height of a screen on which messages may take several rows */
#define VARIABLES_MAX  10 /* maximum number of variables shown if there is no screen */

static double remote_bytes(const struct memphis_live_process *process)
{
	return (double)(process->sum.now.moved_away * process->line_bytes);
}

static double read_bytes(const struct memphis_live_process *process)
{
	return (double)(process->sum.now.moved * process->line_bytes);
}

static double remote_share(const struct memphis_live_process *process)
{
	return memphis_share_of(process->sum.now.remote, process->sum.now.dram).share;
}

const struct memphis_top_order memphis_top_orders[] = {
	{"remote", "bytes read from other nodes", remote_bytes},
	{"reads", "bytes read", read_bytes},
	{"share", "share of remote loads", remote_share},
	{"process", "rank and pid", NULL},
	{NULL, NULL, NULL},
};

static const char *const states[] = {
	[MEMPHIS_LIVE_RUNNING] = "running",
	[MEMPHIS_LIVE_ENDED] = "ended",
	[MEMPHIS_LIVE_KILLED] = "killed",
	[MEMPHIS_LIVE_SILENT] = "silent",
};

struct row {
	const struct memphis_live_process *process;
	const struct memphis_process *metadata;
	uint64_t rank; /* UINT64_MAX: no rank */
	double key;
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	const bool x_over = x->process->state != MEMPHIS_LIVE_RUNNING,
		   y_over = y->process->state != MEMPHIS_LIVE_RUNNING;

	if (x_over != y_over)
		return x_over - y_over;
	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	return memphis_order(x->rank, y->rank) ?: memphis_order(x->metadata->pid, y->metadata->pid);
}

/* The rows for all processes that are shown, in their order. */
struct shown {
	struct row *rows;
	size_t count, running, threads, hosts;
	bool ranks;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int count_hosts(struct shown *shown)
{
	const char **names = calloc(shown->count + 1, sizeof(*names)), *host;
	size_t i;

	if (!names)
		return -ENOMEM;
	for (i = 0; i < shown->count; i++) {
		host = memphis_setting(&shown->rows[i].metadata->settings, "host");
		names[i] = host ? host : "";
	}
	qsort(names, shown->count, sizeof(*names), compare_names);
	for (i = 0; i < shown->count; i++)
		shown->hosts += !i || strcmp(names[i - 1], names[i]);
	free(names);
	return 0;
}

static int collect_rows(const struct memphis_top_view *view, const struct memphis_live *live,
			struct shown *shown)
{
	const struct memphis_processes *processes = &live->metadata;
	struct row *row;
	size_t i;

	shown->rows = calloc(processes->count + 1, sizeof(*shown->rows));
	if (!shown->rows)
		return -ENOMEM;
	for (i = 0; i < processes->count; i++) {
		if (live->list[i].state == MEMPHIS_LIVE_HIDDEN)
			continue;
		row = &shown->rows[shown->count++];
		row->process = &live->list[i];
		row->metadata = &processes->list[i];
		row->rank = memphis_setting_number(&row->metadata->settings, "rank", UINT64_MAX);
		row->key = view->order->key ? view->order->key(row->process) : 0;
		shown->running += row->process->state == MEMPHIS_LIVE_RUNNING;
		shown->threads += row->process->threads;
		shown->ranks = shown->ranks || row->rank != UINT64_MAX;
	}
	qsort(shown->rows, shown->count, sizeof(*shown->rows), compare_rows);
	return count_hosts(shown);
}

/* The number of rows that each of the three tables gets. */
struct plan {
	size_t nodes, processes, variables;
};

static size_t grant_rows(size_t *left, size_t wanted)
{
	const size_t granted = wanted < *left ? wanted : *left;

	*left -= granted;
	return granted;
}

/*
 * Distributes the rows of the screen to the three tables. `used` is the number of rows outside the tables.
 * Each table first gets up to a third of the remaining rows. Rows that a table does not need are then given
 * to the other tables.
 */
static struct plan plan_rows(const struct memphis_top_view *view, const struct plan *needed, size_t used)
{
	const size_t room = view->height > used + 3 ? view->height - used : 3, third = room / 3;
	size_t left = room;
	struct plan plan;

	if (!view->height)
		return (struct plan){needed->nodes, needed->processes,
				     needed->variables < VARIABLES_MAX ? needed->variables : VARIABLES_MAX};
	plan.nodes = grant_rows(&left, needed->nodes < third ? needed->nodes : third);
	plan.processes = grant_rows(&left, needed->processes < third ? needed->processes : third);
	plan.variables = grant_rows(&left, needed->variables < third ? needed->variables : third);
	plan.nodes += grant_rows(&left, needed->nodes - plan.nodes);
	plan.processes += grant_rows(&left, needed->processes - plan.processes);
	plan.variables += grant_rows(&left, needed->variables - plan.variables);
	return plan;
}

/* Appends a share, or "-" if there are no samples. If `interval` is true, also appends the confidence interval. */
static void put_share(struct memphis_text *text, int width, uint64_t part, uint64_t whole, bool interval)
{
	const struct memphis_share share = memphis_share_of(part, whole);
	char cell[64] = "-";

	if (whole && interval)
		snprintf(cell, sizeof(cell), "%.1f %% (%.0f-%.0f)", 100 * share.share, 100 * share.low,
			 100 * share.high);
	else if (whole)
		snprintf(cell, sizeof(cell), "%.1f %%", 100 * share.share);
	memphis_text_print(text, "%*s", width, cell);
}

/* Appends a rate in GB/s. Appends "-" if `bytes` is negative, which means unknown. */
static void put_rate(struct memphis_text *text, int width, double bytes, double seconds)
{
	const double rate = bytes / seconds / 1e9;

	if (bytes < 0 || seconds <= 0)
		memphis_text_print(text, "%*s", width, "-");
	else
		memphis_text_print(text, "%*.2f", width, rate);
}

static void put_more(struct memphis_text *text, size_t count, const char *what)
{
	memphis_text_print(text, "... and %zu more %s\n", count, what);
}

/* The sums for a node over all processes that are shown. */
struct node_sum {
	struct memphis_live_counts counts;
	double moved, moved_away, served, served_away; /* bytes; negative if unknown */
	bool there;
};

static double add_line_bytes(double bytes, uint64_t lines, uint64_t line_bytes)
{
	if (bytes < 0 || (lines && !line_bytes))
		return -1;
	return bytes + (double)lines * (double)line_bytes;
}

static void add_node(struct node_sum *sum, const struct memphis_live_counts *node, uint64_t line_bytes)
{
	sum->counts.now.dram += node->now.dram;
	sum->counts.now.remote += node->now.remote;
	sum->counts.all.dram += node->all.dram;
	sum->counts.all.remote += node->all.remote;
	sum->moved = add_line_bytes(sum->moved, node->now.moved, line_bytes);
	sum->moved_away = add_line_bytes(sum->moved_away, node->now.moved_away, line_bytes);
	sum->served = add_line_bytes(sum->served, node->now.served, line_bytes);
	sum->served_away = add_line_bytes(sum->served_away, node->now.served_away, line_bytes);
	sum->there = sum->there || node->all.moved || node->all.served;
}

/* Adds up the nodes of all processes. Includes nodes of the topology without samples. */
static int sum_nodes(const struct shown *shown, struct node_sum **sums, size_t *count)
{
	const struct row *row;
	size_t i, j;

	*count = 0;
	for (i = 0; i < shown->count; i++) {
		row = &shown->rows[i];
		if (row->process->node_count > *count)
			*count = row->process->node_count;
		for (j = 0; j < row->metadata->node_count; j++)
			if (row->metadata->nodes[j].node >= *count && row->metadata->nodes[j].node < 1024)
				*count = row->metadata->nodes[j].node + 1;
	}
	*sums = calloc(*count + 1, sizeof(**sums));
	if (!*sums)
		return -ENOMEM;
	for (i = 0; i < shown->count; i++) {
		row = &shown->rows[i];
		for (j = 0; j < row->process->node_count; j++)
			add_node(&(*sums)[j], &row->process->nodes[j], row->process->line_bytes);
		for (j = 0; j < row->metadata->node_count; j++)
			if (row->metadata->nodes[j].node < *count)
				(*sums)[row->metadata->nodes[j].node].there = true;
	}
	return 0;
}

static size_t count_nodes(const struct node_sum *sums, size_t count)
{
	size_t there = 0, i;

	for (i = 0; i < count; i++)
		there += sums[i].there;
	return there;
}

static void put_nodes(struct memphis_text *text, const struct node_sum *sums, size_t count, size_t rows,
		      double seconds)
{
	size_t left = count_nodes(sums, count), i;

	memphis_layout_put_head(
		text, "NODE   REMOTE LOADS NOW  SO FAR  GB/s READ  FROM OTHERS  GB/s SERVED  TO OTHERS");
	if (left > rows && rows)
		rows--;
	for (i = 0; i < count && rows; i++) {
		if (!sums[i].there)
			continue;
		memphis_text_print(text, "%4zu", i);
		put_share(text, 19, sums[i].counts.now.remote, sums[i].counts.now.dram, true);
		put_share(text, 8, sums[i].counts.all.remote, sums[i].counts.all.dram, false);
		put_rate(text, 11, sums[i].moved, seconds);
		put_rate(text, 13, sums[i].moved_away, seconds);
		put_rate(text, 13, sums[i].served, seconds);
		put_rate(text, 11, sums[i].served_away, seconds);
		memphis_text_put(text, "\n");
		rows--;
		left--;
	}
	if (left)
		put_more(text, left, "nodes");
}

static void put_process(struct memphis_text *text, const struct shown *shown, const struct row *row,
			double seconds)
{
	const struct memphis_live_sums *now = &row->process->sum.now, *all = &row->process->sum.all;
	const char *host = memphis_setting(&row->metadata->settings, "host"),
		   *command = memphis_setting(&row->metadata->settings, "command");

	memphis_text_print(text, "%7" PRIu32, row->metadata->pid);
	if (shown->ranks && row->rank != UINT64_MAX)
		memphis_text_print(text, "%6" PRIu64, row->rank);
	else if (shown->ranks)
		memphis_text_put(text, "     -");
	memphis_text_print(text, "  %-7s", states[row->process->state]);
	put_share(text, 8, now->remote, now->dram, false);
	put_share(text, 8, all->remote, all->dram, false);
	put_rate(text, 11, add_line_bytes(0, now->moved, row->process->line_bytes), seconds);
	put_rate(text, 13, add_line_bytes(0, now->moved_away, row->process->line_bytes), seconds);
	memphis_text_put(text, "  ");
	if (shown->hosts > 1) {
		memphis_text_put_plain(text, host ? host : "-");
		memphis_text_put(text, ": ");
	}
	memphis_text_put_plain(text, command ? command : "");
	memphis_text_put(text, "\n");
}

static void put_processes(struct memphis_text *text, const struct shown *shown, size_t rows, double seconds)
{
	size_t i;

	memphis_text_style(text, MEMPHIS_BOLD);
	memphis_text_print(text, "    PID%s  STATE    REMOTE  SO FAR  GB/s READ  FROM OTHERS  %sCOMMAND",
			   shown->ranks ? "  RANK" : "", shown->hosts > 1 ? "HOST: " : "");
	memphis_text_style(text, MEMPHIS_PLAIN);
	memphis_text_put(text, "\n");
	if (shown->count > rows && rows)
		rows--;
	for (i = 0; i < shown->count && i < rows; i++)
		put_process(text, shown, &shown->rows[i], seconds);
	if (i < shown->count)
		put_more(text, shown->count - i, "processes");
}

static bool has_samples(const struct shown *shown)
{
	size_t i;

	for (i = 0; i < shown->count; i++)
		if (shown->rows[i].process->sum.all.moved)
			return true;
	return false;
}

static void put_variables(struct memphis_text *text, const struct memphis_top_view *view,
			  const struct shown *shown, const struct memphis_top_variables *variables,
			  size_t rows)
{
	const struct memphis_top_variable *variable;
	size_t i;

	memphis_text_style(text, MEMPHIS_BOLD);
	memphis_text_print(text, "REMOTE LOADS  %sVARIABLE", variables->processes > 1 ? "PROCESSES  " : "");
	memphis_text_style(text, MEMPHIS_PLAIN);
	memphis_text_put(text, "\n");
	if (!variables->count && view->naming)
		memphis_text_put(text, "names are being found\n");
	else if (!variables->count)
		memphis_text_put(
			text,
			has_samples(shown)
				? "no loads from remote memory yet\n"
				: "no sampled loads from memory yet (can this machine be sampled: memphis node)\n");
	for (i = 0; i < variables->count && i < rows; i++) {
		variable = &variables->list[i];
		memphis_text_print(text, "%10.1f %%", 100 * variable->share);
		if (variables->processes > 1)
			memphis_text_print(text, "%11zu", variable->processes);
		memphis_text_print(text, "  %s\n", variable->name);
	}
}

static void put_title(struct memphis_text *text, const struct memphis_top_view *view,
		      const struct shown *shown)
{
	const time_t now = time(NULL);
	struct tm local;
	char clock[16];

	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &local));
	memphis_text_style(text, MEMPHIS_BOLD);
	memphis_text_print(text, "memphis top  %s", clock);
	memphis_text_style(text, MEMPHIS_PLAIN);
	/* If there are several hosts, nodes with the same number are added up. */
	if (shown->hosts > 1)
		memphis_text_print(text, "  %zu of %zu running, sums of %zu hosts", shown->running,
				   shown->count, shown->hosts);
	else
		memphis_text_print(text, "  %zu of %zu process%s running, %zu thread%s", shown->running,
				   shown->count, shown->count == 1 ? "" : "es", shown->threads,
				   shown->threads == 1 ? "" : "s");
	if (view->height)
		memphis_text_print(text, ", order: %s", view->order->name);
	memphis_text_put(text, view->paused ? "  [paused]\n" : "\n");
}

/* Appends problems with files. If the terminal is high enough, messages are wrapped. Otherwise, each takes one line. */
static void put_problems(struct memphis_text *text, const struct memphis_top_view *view,
			 const struct memphis_live *live)
{
	struct memphis_text lines = {0};

	if (live->damaged) {
		memphis_text_print(&lines, "%zu file%s damaged, the last one is ", live->damaged,
				   live->damaged == 1 ? " is" : "s are");
		memphis_text_put_plain(&lines, live->damaged_path);
		memphis_text_put(&lines, "; the rest of it is left out\n");
	}
	if (live->unread) {
		memphis_text_put(&lines, "not read: ");
		memphis_text_put_plain(&lines, live->unread_reason.text);
		if (live->unread > 1)
			memphis_text_print(&lines, "; and %zu more", live->unread - 1);
		memphis_text_put(&lines, "\n");
	}
	memphis_layout_wrap_at(text, &lines, 2, view->height >= HEIGHT_WRAPPED ? view->width : SIZE_MAX);
	memphis_text_close(&lines);
}

static void put_tables(const struct memphis_top_view *view, const struct memphis_live *live,
		       const struct shown *shown, const struct node_sum *nodes, size_t node_count,
		       const struct memphis_top_variables *variables, struct memphis_text *text)
{
	const struct plan needed = {count_nodes(nodes, node_count), shown->count,
				    variables->count ? variables->count : 1};
	const struct plan plan = plan_rows(view, &needed, FIXED_ROWS + memphis_layout_lines(text));

	put_nodes(text, nodes, node_count, plan.nodes, live->elapsed_s);
	memphis_text_put(text, "\n");
	put_processes(text, shown, plan.processes, live->elapsed_s);
	memphis_text_put(text, "\n");
	put_variables(text, view, shown, variables, plan.variables);
}

int memphis_top_put(const struct memphis_top_view *view, const struct memphis_live *live,
		    struct memphis_text *text)
{
	struct memphis_top_variables variables = {.count = 0};
	struct node_sum *nodes = NULL;
	struct shown shown = {.count = 0};
	size_t node_count = 0;
	int rc = collect_rows(view, live, &shown);

	if (!rc)
		rc = sum_nodes(&shown, &nodes, &node_count);
	if (!rc)
		rc = memphis_top_variables_make(&variables, live);
	if (!rc) {
		put_title(text, view, &shown);
		put_problems(text, view, live);
		if (shown.count) {
			put_tables(view, live, &shown, nodes, node_count, &variables, text);
		} else if (!live->unread) {
			memphis_text_put(text, view->waiting);
			memphis_text_put(text, "\n");
		}
	}
	memphis_top_variables_close(&variables);
	free(nodes);
	free(shown.rows);
	return rc ? rc : text->failed ? -ENOMEM : 0;
}
