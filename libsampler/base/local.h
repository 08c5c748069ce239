/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes of a word that only one thread and its signal handlers make. Each is one instruction, so that no handler
 * comes in between. They are not locked, because no other thread changes the word. Other threads may read it, and see
 * the changes in the order of the program.
 */
#ifndef MEMPHIS_LOCAL_H
#define MEMPHIS_LOCAL_H

#include <stdbool.h>

#include "base/sys.h"

static inline void local_add(__u64 *word, __u64 value)
{
	__asm__ volatile("addq %1, %0" : "+m"(*word) : "er"(value) : "memory", "cc");
}

static inline void local_set_bit_0(__u64 *word)
{
	__asm__ volatile("orq $1, %0" : "+m"(*word) : : "memory", "cc");
}

static inline void local_clear_bit_0(__u64 *word)
{
	__asm__ volatile("andq $-2, %0" : "+m"(*word) : : "memory", "cc");
}

/* Replaces `from` by `to`. Returns false if the word has another value. */
static inline bool local_replace(__u64 *word, __u64 from, __u64 to)
{
	bool done;

	__asm__ volatile("cmpxchgq %3, %1" : "=@ccz"(done), "+m"(*word), "+a"(from) : "r"(to) : "memory");
	return done;
}

#endif
