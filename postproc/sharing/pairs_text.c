// SPDX-License-Identifier: BSD-3-Clause
/* Writes the threads that share memory: as text, a table of pairs, and as JSON, the data for a matrix. */
#include "sharing/pairs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "base/order.h"
#include "read/process_name.h"

#define PAGE_THREADS   32
#define PAGE_VARIABLES 3

struct sharer {
	uint32_t process, thread;
	uint64_t samples;
};

struct sharers {
	struct sharer *list; /* sorted by process and thread */
	size_t count, all; /* number of threads in the list; number of threads before the limit was applied */
};

static const struct memphis_thread *find_thread(const struct memphis_profile *profile, uint32_t process,
						uint32_t thread)
{
	return &profile->processes.list[process].threads[thread];
}

static void put_share(struct memphis_text *text, uint64_t part, uint64_t all)
{
	memphis_text_print(text, "%.1f %%", all ? 100.0 * (double)part / (double)all : 0.0);
}

static void put_sum(struct memphis_text *text, const struct memphis_shared_sum *sum)
{
	struct memphis_text bytes = {0};

	memphis_text_put_large(&bytes, sum->bytes, NULL, "B");
	memphis_text_print(text, "%9" PRIu64 " %8" PRIu64 " %8" PRIu64, sum->loads[0] + sum->loads[1],
			   sum->remote, sum->modified);
	memphis_layout_put_number(text, &bytes, 9);
	memphis_text_put(text, "  ");
}

static void put_thread(struct memphis_text *text, const struct memphis_thread *thread)
{
	const char *number = memphis_setting(&thread->metadata, "openmp_thread");

	memphis_text_print(text, "%" PRIu32, thread->tid);
	if (number)
		memphis_text_print_plain(text, " (OpenMP %s)", number);
}

static void put_pair(struct memphis_text *text, const struct memphis_profile *profile,
		     const struct memphis_thread_pair *pair, size_t limit)
{
	const struct memphis_variable *variable;
	size_t i;

	put_sum(text, &pair->sum);
	if (profile->processes.count > 1) {
		memphis_process_name(text, &profile->processes.list[pair->process]);
		memphis_text_put(text, ": ");
	}
	put_thread(text, find_thread(profile, pair->process, pair->a));
	memphis_text_put(text, " and ");
	put_thread(text, find_thread(profile, pair->process, pair->b));
	memphis_text_put(text, "\n");
	for (i = 0; i < memphis_shown(pair->variable_count, limit); i++) {
		variable = &profile->variables[pair->variables[i].variable];
		put_sum(text, &pair->variables[i].sum);
		memphis_text_print_plain(text, "  [%s]:%s\n",
					 memphis_profile_text(profile, variable->segment),
					 memphis_shown_name(profile, pair->variables[i].variable));
	}
	if (i < pair->variable_count)
		memphis_text_print(text, "%39s  ... %zu more variable%s\n", "", pair->variable_count - i,
				   pair->variable_count - i > 1 ? "s" : "");
}

void memphis_thread_pairs_text(struct memphis_text *text, const struct memphis_thread_pairs *pairs,
			       const struct memphis_profile *profile,
			       const struct memphis_selection *selection, size_t top, size_t variables)
{
	struct memphis_text lines = {0};
	size_t i;

	memphis_layout_put_head(text, "SHARING");
	if (!pairs->loads && !pairs->count) {
		memphis_text_put(
			text,
			"not known: no load from DRAM and no modified line was sampled, or the input is a profile, which does not have it\n\n");
		return;
	}
	memphis_text_print(&lines,
			   "%zu pair%s of threads share memory; of %" PRIu64 " sampled loads from DRAM, ",
			   pairs->count, pairs->count == 1 ? "" : "s", pairs->loads);
	put_share(&lines, pairs->loads - pairs->own - pairs->unowned, pairs->loads);
	memphis_text_put(&lines, " are from pages that another thread placed, ");
	put_share(&lines, pairs->own, pairs->loads);
	memphis_text_put(&lines, " from own ones, ");
	put_share(&lines, pairs->unowned, pairs->loads);
	memphis_text_put(&lines, " from pages that no sampled thread placed");
	if (strcmp(selection->kind->name, "all") != 0)
		memphis_text_print(&lines, ". Only variables with %s samples; --select all has all",
				   selection->kind->name);
	memphis_text_put(&lines, "\n");
	memphis_layout_wrap(text, &lines, 0);
	memphis_text_close(&lines);
	if (pairs->count)
		memphis_text_print(text, "%9s %8s %8s %9s  %s\n", "loads", "remote", "modified", "pages",
				   "threads, below them the variables that they share");
	for (i = 0; i < memphis_shown(pairs->count, top); i++)
		put_pair(text, profile, &pairs->list[i], variables);
	if (i < pairs->count)
		memphis_text_print(text, "%39s... %zu more pair%s\n", "", pairs->count - i,
				   pairs->count - i > 1 ? "s" : "");
	memphis_text_put(text, "\n");
}

static int compare_threads(const void *x, const void *y)
{
	const struct sharer *p = x, *q = y;

	return memphis_order(p->process, q->process) ?: memphis_order(p->thread, q->thread);
}

static int compare_samples(const void *x, const void *y)
{
	const struct sharer *p = x, *q = y;

	return memphis_order(q->samples, p->samples) ?: compare_threads(x, y);
}

/*
 * Collects the threads of all pairs. Keeps the `limit` threads with the most samples, or all if `limit` is 0.
 * Returns false if memory is exhausted.
 */
static bool collect_sharers(struct sharers *sharers, const struct memphis_thread_pairs *pairs, size_t limit)
{
	const struct memphis_thread_pair *pair;
	size_t count = 0, i;

	sharers->list = calloc(2 * pairs->count + 1, sizeof(*sharers->list));
	if (!sharers->list)
		return false;
	for (pair = pairs->list; pair < pairs->list + pairs->count; pair++) {
		sharers->list[count++] =
			(struct sharer){pair->process, pair->a, memphis_shared_samples(&pair->sum)};
		sharers->list[count++] =
			(struct sharer){pair->process, pair->b, memphis_shared_samples(&pair->sum)};
	}
	if (!count)
		return true;
	qsort(sharers->list, count, sizeof(*sharers->list), compare_threads);
	for (i = 0; i < count; i++) {
		if (!i || compare_threads(&sharers->list[i], &sharers->list[sharers->all - 1]))
			sharers->list[sharers->all++] = sharers->list[i];
		else
			sharers->list[sharers->all - 1].samples += sharers->list[i].samples;
	}
	sharers->count = memphis_shown(sharers->all, limit);
	qsort(sharers->list, sharers->all, sizeof(*sharers->list), compare_samples);
	qsort(sharers->list, sharers->count, sizeof(*sharers->list), compare_threads);
	return true;
}

/* Returns the index of the thread in the list, or SIZE_MAX if it is not there. */
static size_t find_sharer(const struct sharers *sharers, uint32_t process, uint32_t thread)
{
	const struct sharer key = {process, thread, 0}, *found = bsearch(&key, sharers->list, sharers->count,
									 sizeof(key), compare_threads);

	return found ? (size_t)(found - sharers->list) : SIZE_MAX;
}

static void put_sum_json(struct memphis_json *json, const struct memphis_shared_sum *sum)
{
	memphis_json_number(json, "a_loads", sum->loads[0]);
	memphis_json_number(json, "b_loads", sum->loads[1]);
	memphis_json_number(json, "remote", sum->remote);
	memphis_json_number(json, "modified", sum->modified);
	memphis_json_number(json, "bytes", sum->bytes);
}

static void put_pair_json(struct memphis_json *json, const struct memphis_profile *profile,
			  const struct memphis_thread_pair *pair, size_t a, size_t b, size_t limit)
{
	const struct memphis_variable *variable;
	size_t i;

	memphis_json_open(json, NULL, '{');
	memphis_json_number(json, "a", a);
	memphis_json_number(json, "b", b);
	put_sum_json(json, &pair->sum);
	memphis_json_number(json, "variable_count", pair->variable_count);
	memphis_json_open(json, "variables", '[');
	for (i = 0; i < memphis_shown(pair->variable_count, limit); i++) {
		variable = &profile->variables[pair->variables[i].variable];
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "segment", memphis_profile_text(profile, variable->segment));
		memphis_json_string(json, "name", memphis_profile_text(profile, variable->name));
		memphis_json_string(json, "shown", memphis_shown_name(profile, pair->variables[i].variable));
		memphis_json_string(json, "site", memphis_profile_text(profile, variable->site));
		put_sum_json(json, &pair->variables[i].sum);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

static void put_sharer_json(struct memphis_json *json, const struct memphis_profile *profile,
			    const struct sharer *sharer)
{
	const struct memphis_process *process = &profile->processes.list[sharer->process];
	const struct memphis_thread *thread = find_thread(profile, sharer->process, sharer->thread);

	memphis_json_open(json, NULL, '{');
	memphis_json_number(json, "process", sharer->process);
	memphis_json_number(json, "pid", process->pid);
	memphis_json_string(json, "rank", memphis_setting(&process->settings, "rank"));
	memphis_json_string(json, "host", memphis_setting(&process->settings, "host"));
	memphis_json_number(json, "tid", thread->tid);
	memphis_json_string(json, "openmp_thread", memphis_setting(&thread->metadata, "openmp_thread"));
	memphis_json_close(json, '}');
}

void memphis_thread_pairs_json(struct memphis_json *json, const struct memphis_thread_pairs *pairs,
			       const struct memphis_profile *profile, bool page)
{
	struct sharers sharers = {0};
	size_t a, b, i;

	json->text->failed |= !collect_sharers(&sharers, pairs, page ? PAGE_THREADS : 0);
	memphis_json_open(json, "sharing", '{');
	memphis_json_number(json, "loads", pairs->loads);
	memphis_json_number(json, "own", pairs->own);
	memphis_json_number(json, "unowned", pairs->unowned);
	memphis_json_number(json, "thread_count", sharers.all);
	memphis_json_number(json, "pair_count", pairs->count);
	memphis_json_open(json, "threads", '[');
	for (i = 0; i < sharers.count; i++)
		put_sharer_json(json, profile, &sharers.list[i]);
	memphis_json_close(json, ']');
	memphis_json_open(json, "pairs", '[');
	for (i = 0; sharers.list && i < pairs->count; i++) {
		a = find_sharer(&sharers, pairs->list[i].process, pairs->list[i].a);
		b = find_sharer(&sharers, pairs->list[i].process, pairs->list[i].b);
		if (a != SIZE_MAX && b != SIZE_MAX)
			put_pair_json(json, profile, &pairs->list[i], a, b, page ? PAGE_VARIABLES : 0);
	}
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
	free(sharers.list);
}
