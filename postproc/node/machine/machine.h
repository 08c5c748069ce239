/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine as shown by its kernel: files below a root directory, the CPU's model, topology, and event counters. */
#ifndef MEMPHIS_MACHINE_H
#define MEMPHIS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/text.h"
#include "decode/model.h"
#include "node/machine/errors.h"

/* ---- processes, and lines of /proc/interrupts ---- */

struct memphis_running_process {
	pid_t pid;
	char name[64];
	bool is_kernel;   /* true for a kernel thread */
	unsigned int cpu; /* CPU on which it ran last */
	/*
	 * start: start time in ticks since boot, which distinguishes processes with the same PID;
	 * ticks: CPU time of all threads
	 */
	uint64_t start, ticks;
};

struct memphis_running {
	/* sorted by PID; contains the processes that this user may see, except this process */
	struct memphis_running_process *list;
	size_t count, room;
};

struct memphis_interrupt_line {
	char label[16]; /* a number, or letters such as LOC */
	char name[96];  /* name of the device or its driver, or another description */
};

struct memphis_interrupts {
	struct memphis_interrupt_line *lines;
	size_t count, room;
	uint64_t *counts; /* count x cpus values, indexed by line and CPU number */
	size_t counts_room, cpus;
};

/*
 * Read files below the root directory. Skip files that disappear or cannot be read. Return 0 or -ENOMEM. The
 * result must be closed in both cases.
 */
int memphis_running_read(struct memphis_running *processes, const char *root);
void memphis_running_close(struct memphis_running *processes);
int memphis_interrupts_read(struct memphis_interrupts *interrupts, const char *root, size_t cpus);
void memphis_interrupts_close(struct memphis_interrupts *interrupts);

/*
 * Returns the process that used the most CPU time between the two readings, and sets *ticks to this time.
 * Returns NULL if no process used any.
 */
const struct memphis_running_process *memphis_busiest_process(const struct memphis_running *before,
							      const struct memphis_running *after,
							      uint64_t *ticks);

/*
 * Finds the line and the CPU with the most interrupts between the two readings. Sets *line to the index in
 * `after`. Returns the number of these interrupts, or 0.
 */
uint64_t memphis_busiest_interrupt(const struct memphis_interrupts *before,
				   const struct memphis_interrupts *after, size_t *line, size_t *cpu);

/* ---- files of /proc and /sys below a root directory: "" for the running system, another one in tests ---- */

/* Returns the contents of the file as a malloc'ed string without trailing white space; NULL with errno set on failure. */
char *memphis_root_read(const char *root, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reads the first number in the file. Returns false if there is none. */
bool memphis_root_number(uint64_t *value, const char *root, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool memphis_root_has(const char *root, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Finds the number after `key` in a text of lines "key number". Returns false if there is none. */
bool memphis_number_after(uint64_t *value, const char *text, const char *key);

/* ---- the CPU's model, and what the kernel shows of its sampling hardware ---- */

struct memphis_processor {
	enum memphis_vendor vendor;
	char identification[16]; /* vendor string of CPUID */
	char name[128];
	struct memphis_cpu_part part; /* family and model are 0 if unknown */
	bool has_ibs;
};

void memphis_processor_read(struct memphis_processor *processor, const char *root);
/* Appends the name with family and model. */
void memphis_processor_put(struct memphis_text *text, const struct memphis_processor *processor);

/* ---- topology of the machine ---- */

struct memphis_machine_node {
	unsigned int number;
	uint64_t memory_bytes, free_bytes;
	unsigned int cpu_count;
	char *cpus; /* list of the node's own CPUs, such as "0-3"; "" if it has none */
	/* this process may use its memory and, if the node has CPUs, at least one of them (cpuset) */
	bool usable;
	uint64_t cache_bytes; /* sum of the sizes of the last-level caches of its CPUs */
};

struct memphis_machine_cpu {
	unsigned int number, package;
	unsigned int node;  /* index in `nodes` */
	bool first_of_core; /* first hardware thread of its core */
};

struct memphis_machine {
	const char *root;
	void *topology; /* topology of hwloc; NULL if unknown */
	char host[128];
	struct memphis_processor processor;
	struct memphis_machine_node *nodes; /* sorted by node number; includes nodes without memory */
	size_t node_count, node_room;
	struct memphis_machine_cpu *cpus;
	size_t cpu_count, cpu_room;
	unsigned int package_count, core_count;
	uint64_t cache_bytes;    /* size of the largest last-level cache of any CPU */
	unsigned int *distances; /* node_count x node_count values from the firmware; NULL if unknown */
};

/*
 * Reads the topology. Returns 0, -ENOTSUP if the tool was built without hwloc, or another negative errno. The
 * machine must be closed in all cases.
 */
int memphis_machine_open(struct memphis_machine *machine, const char *root, struct memphis_error *error);
void memphis_machine_close(struct memphis_machine *machine);

/* ---- event counters of the machine ---- */

enum memphis_throttle {
	MEMPHIS_THROTTLE_PACKAGE_HEAT,
	MEMPHIS_THROTTLE_PACKAGE_POWER,
	MEMPHIS_THROTTLE_CORE_HEAT,
	MEMPHIS_THROTTLE_CORE_POWER,
	MEMPHIS_THROTTLES
};

struct memphis_package_counters {
	unsigned int package;
	uint64_t throttled[MEMPHIS_THROTTLES];
};

struct memphis_cpu_counters {
	uint64_t busy_ticks, interrupts;
};

struct memphis_machine_counters {
	uint64_t time_ns;
	bool has_throttles, has_cpus, has_interrupts, has_machine_checks;
	struct memphis_package_counters *packages;
	size_t package_count, package_room;
	struct memphis_cpu_counters *cpus; /* indexed by CPU number */
	size_t cpu_count;
	struct memphis_error_counts errors;
	struct memphis_running processes;
	struct memphis_interrupts interrupts;
	uint64_t machine_checks;
};

/* Reads all counters. Returns 0 or -ENOMEM; the counters must be closed in both cases. */
int memphis_machine_counters_read(struct memphis_machine_counters *counters,
				  const struct memphis_machine *machine);
void memphis_machine_counters_close(struct memphis_machine_counters *counters);

#endif
