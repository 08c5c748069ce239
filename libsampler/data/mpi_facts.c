/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about the process that the MPI layer has found: a small table that only grows. */
#include <string.h>

#include "data/mpi_facts.h"

#define FACTS 8

static struct {
	const char *key; /* set last */
	__u64 value;
} facts[FACTS];

void memphis_mpi_facts_set(const char *key, __u64 value)
{
	size_t i;

	for (i = 0; i < FACTS && facts[i].key && strcmp(facts[i].key, key) != 0; i++)
		;
	if (i == FACTS)
		return;
	__atomic_store_n(&facts[i].value, value, __ATOMIC_RELAXED);
	__atomic_store_n(&facts[i].key, key, __ATOMIC_RELEASE);
}

void memphis_mpi_facts_add(struct memphis_text_buffer *text)
{
	const char *key;
	size_t i;

	for (i = 0; i < FACTS; i++) {
		key = __atomic_load_n(&facts[i].key, __ATOMIC_ACQUIRE);
		if (key)
			memphis_text_add(text, "%s %llu\n", key,
					 __atomic_load_n(&facts[i].value, __ATOMIC_RELAXED));
	}
}
