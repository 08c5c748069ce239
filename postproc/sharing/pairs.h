/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds out which threads share memory. The result is a list of pairs of threads with the variables that they
 * share. The pair with the most samples comes first.
 */
#ifndef MEMPHIS_PAIRS_H
#define MEMPHIS_PAIRS_H

#include "base/json.h"
#include "profile/profile.h"

struct memphis_shared_sum {
	/*
	 * Numbers of sampled loads from DRAM: [0] by thread a from pages of thread b, [1] by thread b from
	 * pages of thread a. The pages of a thread are those that it placed: see struct memphis_sharing.
	 */
	uint64_t loads[2];
	/* number of these samples that were loaded from another node's memory, for both threads */
	uint64_t remote;
	/* number of samples of both threads that loaded a cache line which the other thread had modified */
	uint64_t modified;
	uint64_t bytes; /* total size of the pages with these samples */
};

struct memphis_shared_variable {
	uint32_t variable; /* row in the profile's variables */
	struct memphis_shared_sum sum;
};

/* Two threads of one process, with a < b. */
struct memphis_thread_pair {
	uint32_t process; /* index in the profile's processes */
	uint32_t a, b;    /* indices in the process's threads */
	struct memphis_shared_sum sum;
	struct memphis_shared_variable *variables; /* sorted by number of samples, the largest first */
	size_t variable_count;
};

struct memphis_thread_pairs {
	struct memphis_thread_pair *list; /* sorted by number of samples, the largest first */
	size_t count;
	/*
	 * numbers of sampled loads in all selected processes: all loads, loads from pages of the loading
	 * thread itself, and loads from pages that no sampled thread placed
	 */
	uint64_t loads, own, unowned;
	struct memphis_shared_variable *variables; /* storage for the arrays `variables` of the pairs */
};

static inline uint64_t memphis_shared_samples(const struct memphis_shared_sum *sum)
{
	return sum->loads[0] + sum->loads[1] + sum->modified;
}

/*
 * Builds the pairs of the selected processes from profile->sharing, which saved profiles do not contain.
 * Returns 0 or -ENOMEM. The pairs must be closed in both cases.
 */
int memphis_thread_pairs_make(struct memphis_thread_pairs *pairs, const struct memphis_profile *profile,
			      const struct memphis_selection *selection);
void memphis_thread_pairs_close(struct memphis_thread_pairs *pairs);

/* ---- threads that share memory, as text and as JSON ---- */

/* Appends at most `top` pairs, with at most `variables` variables each. 0 means no limit. */
void memphis_thread_pairs_text(struct memphis_text *text, const struct memphis_thread_pairs *pairs,
			       const struct memphis_profile *profile,
			       const struct memphis_selection *selection, size_t top, size_t variables);

/*
 * Writes the key "sharing" of the open JSON object. If `page` is true, writes only the threads that share the
 * most, and some variables for each of their pairs.
 */
void memphis_thread_pairs_json(struct memphis_json *json, const struct memphis_thread_pairs *pairs,
			       const struct memphis_profile *profile, bool page);

#endif
