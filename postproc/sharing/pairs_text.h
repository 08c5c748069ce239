/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that share memory, as text and as JSON. */
#ifndef MEMPHIS_PAIRS_TEXT_H
#define MEMPHIS_PAIRS_TEXT_H

#include "base/json.h"
#include "sharing/pairs.h"

/* At most `top` pairs, and of each at most `variables`; 0: all. */
void memphis_thread_pairs_text(struct memphis_text *text, const struct memphis_thread_pairs *pairs,
			       const struct memphis_profile *profile,
			       const struct memphis_selection *selection, size_t top, size_t variables);

/* The key "sharing" of the open object. A page has the threads that share most, and of each of their pairs some variables. */
void memphis_thread_pairs_json(struct memphis_json *json, const struct memphis_thread_pairs *pairs,
			       const struct memphis_profile *profile, bool page);

#endif
