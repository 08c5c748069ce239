/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer to the question to whom an address belongs at a time. */
#ifndef MEMPHIS_ANSWER_H
#define MEMPHIS_ANSWER_H

#include <stdint.h>

#include "profile/counts.h"

/* The owner, and the addresses (low <= a < high) and times (from_ns <= t < to_ns) for which the answer is the same. */
struct memphis_answer {
	struct memphis_owner owner;
	uint64_t low, high, from_ns, to_ns;
};

#endif
