/* SPDX-License-Identifier: BSD-3-Clause */
/* What else runs on the machine: processes, and lines of /proc/interrupts. */
#ifndef MEMPHIS_MACHINE_NOISE_H
#define MEMPHIS_MACHINE_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct memphis_running_process {
	pid_t pid;
	char name[64];
	bool is_kernel;   /* a thread of the kernel */
	unsigned int cpu; /* on which it ran last */
	uint64_t start,
		ticks; /* start: ticks since boot, which tells processes with the same PID apart; ticks: CPU time of all threads */
};

struct memphis_running {
	struct memphis_running_process *list; /* by PID; those that this user may see, without this process */
	size_t count, room;
};

struct memphis_interrupt_line {
	char label[16]; /* a number, or letters: LOC */
	char name[96];  /* of the device or its driver, or words */
};

struct memphis_interrupts {
	struct memphis_interrupt_line *lines;
	size_t count, room;
	uint64_t *counts; /* count x cpus values, by line and CPU number */
	size_t counts_room, cpus;
};

/* Read below the root directory. Return 0 or -ENOMEM; close in both cases. What vanishes in between, or can't be read, is left out. */
int memphis_running_read(struct memphis_running *processes, const char *root);
void memphis_running_close(struct memphis_running *processes);
int memphis_interrupts_read(struct memphis_interrupts *interrupts, const char *root, size_t cpus);
void memphis_interrupts_close(struct memphis_interrupts *interrupts);

/* Parses a line of /proc/PID/stat (proc(5)). Returns false if it is not one. */
bool memphis_running_parse(struct memphis_running_process *process, const char *text);

/* Finds the process that used most CPU time in between, and that time in ticks. Returns NULL if none used any. */
const struct memphis_running_process *memphis_busiest_process(const struct memphis_running *before,
							      const struct memphis_running *after,
							      uint64_t *ticks);

/* Finds the line, an index in `after`, and the CPU with most interrupts in between. Returns their number; 0: there were none. */
uint64_t memphis_busiest_interrupt(const struct memphis_interrupts *before,
				   const struct memphis_interrupts *after, size_t *line, size_t *cpu);

#endif
