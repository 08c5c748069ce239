// SPDX-License-Identifier: BSD-3-Clause
/*
 * Names the leading variables with the same modules as the report. The join finds the owner of each
 * remembered load, and the namer describes the owners with the most loads. The binaries and their debug
 * information stay open between calls.
 */
#include "top/leading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attribute/join.h"
#include "base/order.h"
#include "name/reduce.h"

#define NAMED_MAX 24 /* maximum number of owners that are described, per process */

struct owned {
	struct memphis_owner owner;
	uint32_t count;
};

struct owners {
	struct memphis_strings keys; /* the number of a key minus 1 is the index in `list` */
	struct owned *list;
	size_t count, room;
};

/*
 * The original allocations of one thread. The join frees the allocations that it has replayed, but the next
 * call needs them again.
 */
struct kept {
	struct memphis_allocation *list;
	size_t count, room;
};

static int count_owner(struct owners *owners, const struct memphis_owner *owner)
{
	struct memphis_owner key = *owner;
	struct owned *owned;
	uint32_t number;

	key.reason = 0;
	number = memphis_strings_add(&owners->keys, &key, sizeof(key));
	if (number == MEMPHIS_NO_STRING)
		return -ENOMEM;
	if (number > owners->count) {
		owned = memphis_append(owners->list, owners->count, owners->room);
		if (!owned)
			return -ENOMEM;
		owned->owner = key;
	}
	owners->list[number - 1].count++;
	return 0;
}

static int compare_owned(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return memcmp(&x->owner, &y->owner, sizeof(x->owner));
}

static int compare_leaders(const void *a, const void *b)
{
	const struct memphis_live_leader *x = a, *y = b;

	return memphis_order(y->count, x->count) ?: memphis_order(x->variable, y->variable);
}

/* Adds loads to a variable. Several owners may belong to the same variable. */
static int add_leader(struct memphis_live_process *process, uint32_t variable, uint32_t count)
{
	struct memphis_live_leader *leader;
	size_t i;

	if (variable == MEMPHIS_NONE)
		return -ENOMEM;
	for (i = 0; i < process->leader_count; i++)
		if (process->leaders[i].variable == variable) {
			process->leaders[i].count += count;
			return 0;
		}
	leader = memphis_append(process->leaders, process->leader_count, process->leader_room);
	if (!leader)
		return -ENOMEM;
	*leader = (struct memphis_live_leader){variable, count};
	return 0;
}

static int name_owners(struct memphis_namer *namer, struct memphis_profile *variables,
		       struct memphis_live_process *process, const struct owners *owners)
{
	struct memphis_description description;
	size_t i;
	int rc = 0;

	process->leader_count = 0;
	qsort(owners->list, owners->count, sizeof(*owners->list), compare_owned);
	for (i = 0; !rc && i < owners->count && i < NAMED_MAX; i++) {
		rc = memphis_describe(namer, &owners->list[i].owner, &description);
		if (!rc)
			rc = add_leader(process, memphis_variable_add(variables, &description),
					owners->list[i].count);
		memphis_description_close(&description);
	}
	qsort(process->leaders, process->leader_count, sizeof(*process->leaders), compare_leaders);
	process->leader_loads = (uint32_t)process->load_count;
	process->new_loads = 0;
	return rc;
}

static int find_process_leaders(struct memphis_join *join, struct memphis_namer *namer,
				struct memphis_profile *variables, size_t number,
				struct memphis_live_process *process)
{
	struct owners owners = {.count = 0};
	struct memphis_answer answer;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < process->load_count; i++) {
		rc = memphis_join_address(join, number, process->loads[i].address, process->loads[i].time_ns,
					  0, &answer);
		if (!rc)
			rc = count_owner(&owners, &answer.owner);
	}
	if (!rc && owners.count)
		rc = name_owners(namer, variables, process, &owners);
	memphis_strings_close(&owners.keys);
	free(owners.list);
	return rc;
}

/*
 * Replaces the allocations of the threads by copies, and stores the originals in `kept`. Sets *lent to the
 * number of threads for which this was done.
 */
static int lend_allocations(struct memphis_processes *processes, struct kept *kept, size_t *lent)
{
	struct memphis_thread_log *log;
	struct memphis_allocation *copy;
	size_t i, j;

	for (i = 0; i < processes->count; i++)
		for (j = 0; j < processes->list[i].thread_count; j++) {
			log = processes->list[i].threads[j].log;
			if (memphis_allocations_sort(log))
				return -ENOMEM;
			copy = malloc((log->allocation_count + 1) * sizeof(*copy));
			if (!copy)
				return -ENOMEM;
			if (log->allocation_count)
				memcpy(copy, log->allocations, log->allocation_count * sizeof(*copy));
			kept[(*lent)++] =
				(struct kept){log->allocations, log->allocation_count, log->allocation_room};
			log->allocations = copy;
		}
	return 0;
}

static void restore_allocations(struct memphis_processes *processes, const struct kept *kept, size_t lent)
{
	struct memphis_thread_log *log;
	size_t i, j, at = 0;

	for (i = 0; i < processes->count; i++)
		for (j = 0; j < processes->list[i].thread_count && at < lent; j++, at++) {
			log = processes->list[i].threads[j].log;
			free(log->allocations);
			log->allocations = kept[at].list;
			log->allocation_count = kept[at].count;
			log->allocation_room = kept[at].room;
		}
}

static int find_leaders(struct memphis_live *live, struct memphis_profile *profile,
			struct memphis_error *error)
{
	const struct memphis_selection selection = {.kind = &memphis_select_kinds[0], .node = -1};
	struct memphis_sources sources = {.count = 0};
	struct memphis_namer namer = {0};
	struct memphis_join join;
	size_t i;
	int rc = memphis_join_open(&join, profile, &selection, error);

	if (!rc && memphis_namer_open(&namer, &join, &sources))
		rc = memphis_fail(error, -ENOMEM, "out of memory");
	for (i = 0; !rc && i < profile->processes.count; i++)
		if (live->list[i].new_loads &&
		    find_process_leaders(&join, &namer, &live->variables, i, &live->list[i]))
			rc = memphis_fail(error, -ENOMEM, "out of memory");
	if (!rc && memphis_shown_names_find(&(struct memphis_profile *){&live->variables}, 1))
		rc = memphis_fail(error, -ENOMEM, "out of memory");
	if (namer.join)
		memphis_namer_close(&namer);
	memphis_join_close(&join);
	memphis_sources_close(&sources);
	return rc;
}

int memphis_leading_find(struct memphis_live *live, struct memphis_error *error)
{
	struct memphis_profile profile = {.selection = ""};
	size_t threads = 0, lent = 0, i;
	struct kept *kept;
	bool any = false;
	int rc;

	for (i = 0; i < live->metadata.count; i++) {
		threads += live->metadata.list[i].thread_count;
		any = any || live->list[i].new_loads;
	}
	if (!any)
		return 0;
	kept = calloc(threads + 1, sizeof(*kept));
	if (!kept)
		return memphis_fail(error, -ENOMEM, "out of memory");
	/* The profile owns the processes temporarily, while they are joined. */
	profile.processes = live->metadata;
	rc = lend_allocations(&profile.processes, kept, &lent);
	if (rc)
		memphis_fail(error, rc, "out of memory");
	else
		rc = find_leaders(live, &profile, error);
	restore_allocations(&profile.processes, kept, lent);
	free(kept);
	live->metadata = profile.processes;
	memset(&profile.processes, 0, sizeof(profile.processes));
	memphis_profile_close(&profile);
	return rc;
}
