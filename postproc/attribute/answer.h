/* SPDX-License-Identifier: BSD-3-Clause */
/* The owner of an address at a time. */
#ifndef MEMPHIS_ANSWER_H
#define MEMPHIS_ANSWER_H

#include <stdint.h>

#include "profile/counts.h"

/* The owner, and the range of addresses (low <= a < high) and times (from_ns <= t < to_ns) that have this owner. */
struct memphis_answer {
	struct memphis_owner owner;
	uint64_t low, high, from_ns, to_ns;
};

#endif
