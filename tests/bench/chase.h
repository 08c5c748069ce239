/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads that depend on each other, in scattered order over memory of one node: nearly every instruction is a load, and
 * nearly every load goes to DRAM.
 */
#ifndef CHASE_H
#define CHASE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHASE_LINE     64
#define CHASE_LINES    (1u << 19)
#define CHASE_UNROLLED 64
#define CHASE_BIND     2 /* MPOL_BIND of mbind(2) */

/*
 * The chain's first element. A linear congruence of full period (the factor is 1 modulo 4, the summand odd) makes one
 * cycle of all lines.
 */
static void **chase_begin(int node)
{
	const size_t bytes = (size_t)CHASE_LINES * CHASE_LINE;
	unsigned long nodes = 1ul << node;
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t i;

	if (memory == MAP_FAILED ||
	    syscall(SYS_mbind, memory, bytes, CHASE_BIND, &nodes, 8 * sizeof(nodes), 0)) {
		perror("memory of one node");
		exit(1);
	}
	for (i = 0; i < CHASE_LINES; i++)
		*(void **)(memory + (size_t)CHASE_LINE * i) =
			memory + (size_t)CHASE_LINE * ((i * 1664525u + 1013904223u) % CHASE_LINES);
	return (void **)memory;
}

/* Where so many loads lead to. */
static void **chase(void **at, uint64_t loads)
{
	uint64_t rounds = loads / CHASE_UNROLLED;

	__asm__ volatile("1:\n\t"
			 ".rept %c2\n\t"
			 "mov (%0), %0\n\t"
			 ".endr\n\t"
			 "dec %1\n\t"
			 "jnz 1b"
			 : "+r"(at), "+r"(rounds)
			 : "i"(CHASE_UNROLLED)
			 : "memory", "cc");
	return at;
}

#endif
