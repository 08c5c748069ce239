/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pointer chasing: dependent loads in scattered order over memory of one node. Nearly every instruction is a load, and nearly every
 * load goes to DRAM. The memory is a file in a tmpfs that is bound to the node. The first run creates it; later runs map the same
 * pages at the same address, which takes the same number of instructions each time.
 */
#ifndef CHASE_H
#define CHASE_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHASE_LINE     64
#define CHASE_LINES    (1u << 19)
#define CHASE_UNROLLED 64
#define CHASE_AT       ((char *)0x200000000000)

static inline void *chase_map(int fd, int protection)
{
	const size_t bytes = (size_t)CHASE_LINES * CHASE_LINE;

	if (mmap(CHASE_AT, bytes, protection, MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_POPULATE, fd, 0) !=
	    CHASE_AT) {
		perror("chase: mmap");
		exit(1);
	}
	return CHASE_AT;
}

/* A linear congruential sequence of full period (factor 1 modulo 4, odd increment) links all lines in one cycle. */
static inline void chase_make(const char *path)
{
	const size_t bytes = (size_t)CHASE_LINES * CHASE_LINE;
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	char *memory;
	uint32_t i;

	if (fd < 0 || ftruncate(fd, bytes)) {
		perror(path);
		exit(1);
	}
	memory = chase_map(fd, PROT_READ | PROT_WRITE);
	for (i = 0; i < CHASE_LINES; i++)
		*(void **)(memory + (size_t)CHASE_LINE * i) =
			memory + (size_t)CHASE_LINE * ((i * 1664525u + 1013904223u) % CHASE_LINES);
	munmap(memory, bytes);
	close(fd);
}

/* Returns the chain's first element; creates the chain if necessary. */
static inline void **chase_begin(const char *path)
{
	void *memory;
	int fd;

	if (access(path, F_OK))
		chase_make(path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		perror(path);
		exit(1);
	}
	memory = chase_map(fd, PROT_READ);
	close(fd);
	return memory;
}

/* Follows the chain for `loads` loads; returns the address that the last load yields. */
static inline void **chase(void **at, uint64_t loads)
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
