/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out which threads share memory: pairs of threads, the strongest first, with the variables that they share. */
#ifndef MEMPHIS_PAIRS_H
#define MEMPHIS_PAIRS_H

#include "base/json.h"
#include "profile/profile.h"

struct memphis_shared_sum {
	/* Samples of loads from DRAM: of thread a from pages of thread b, and of thread b from pages of thread a. */
	uint64_t loads[2];
	uint64_t remote; /* number of samples of both from another node's memory */
	/* number of samples of both that loaded lines which the other thread had modified */
	uint64_t modified;
	uint64_t bytes; /* size of the pages in which these samples are */
};

struct memphis_shared_variable {
	uint32_t variable; /* row of the profile */
	struct memphis_shared_sum sum;
};

/* Two threads of a process, a < b. */
struct memphis_thread_pair {
	uint32_t process; /* row of the profile */
	uint32_t a, b;    /* indexes in the process */
	struct memphis_shared_sum sum;
	struct memphis_shared_variable *variables; /* the one with most samples first */
	size_t variable_count;
};

struct memphis_thread_pairs {
	struct memphis_thread_pair *list; /* most samples first */
	size_t count;
	/* Numbers of loads of all selected processes: all; from pages of the loading thread; from pages that no thread placed. */
	uint64_t loads, own, unowned;
	struct memphis_shared_variable *variables; /* storage of the pairs */
};

static inline uint64_t memphis_shared_samples(const struct memphis_shared_sum *sum)
{
	return sum->loads[0] + sum->loads[1] + sum->modified;
}

/* Makes the pairs of the selected processes from profile->sharing. Saved profiles do not have it. Returns 0 or -ENOMEM; close the pairs in either case. */
int memphis_thread_pairs_make(struct memphis_thread_pairs *pairs, const struct memphis_profile *profile,
			      const struct memphis_selection *selection);
void memphis_thread_pairs_close(struct memphis_thread_pairs *pairs);

/* ---- threads that share memory, as text and as JSON ---- */

/* Appends at most `top` pairs, and at most `variables` variables of each; 0: all. */
void memphis_thread_pairs_text(struct memphis_text *text, const struct memphis_thread_pairs *pairs,
			       const struct memphis_profile *profile,
			       const struct memphis_selection *selection, size_t top, size_t variables);

/* Writes the key "sharing" of the open object. A page gets the threads that share most, and some variables of each of their pairs. */
void memphis_thread_pairs_json(struct memphis_json *json, const struct memphis_thread_pairs *pairs,
			       const struct memphis_profile *profile, bool page);

#endif
