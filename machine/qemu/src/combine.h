/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Write-combining buffers of a vCPU: non-temporal stores collect in them until a line is complete, and then go to memory without
 * being in a cache.
 */
#ifndef TARGET_I386_COMBINE_H
#define TARGET_I386_COMBINE_H

#include "cachemodel.h"

/* Incomplete lines that a vCPU has at most; the oldest one has to go for a further one. */
#define COMBINE_BUFFERS 8

typedef struct CombineBuffer {
	uint64_t line;
	uint64_t bytes; /* bit per byte that has been stored; 0 if the buffer is free */
	uint32_t who;   /* the last instruction that stored: memory_who() */
	bool user;      /* its privilege */
} CombineBuffer;

/* Oldest first; free buffers are at the end. */
typedef struct Combine {
	CombineBuffer buffers[COMBINE_BUFFERS];
	unsigned used;
} Combine;

/* Stores bytes of one line, which are set in the mask. Returns true if they are the first ones of a buffer. */
bool combine_store(Combine *c, CacheCpu *cpu, uint64_t line, uint64_t bytes, bool user, uint32_t who);
/* Writes a buffer of this line, as the vCPU accesses the line in another way. */
void combine_leave(Combine *c, CacheCpu *cpu, uint64_t line);
/*
 * Executes a fence: writes the buffers whose stores had this privilege level. The buffers of the other level stay, because the kernel executes
 * fences in interrupts at any time, which would divide the lines of programs.
 */
void combine_fence(Combine *c, CacheCpu *cpu, bool user);
/* Writes all buffers. */
void combine_drain(Combine *c, CacheCpu *cpu);

#endif
