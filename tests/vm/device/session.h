/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs of this directory share: checks that print their outcome, a thin layer over the
 * device's requests and maps, a load with known addresses, and the machine's own count.
 */
#ifndef SESSION_H
#define SESSION_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <memphis/device.h>

/* Prints "ok NAME" or "not ok NAME: GOT, expected WANTED"; the test that runs us looks for the former. */
void check_equal(const char *name, uint64_t got, uint64_t wanted);
void check(const char *name, bool holds);
/* Not a check: something the check stands on failed. Ends the program. */
void need(bool holds, const char *what);

/* ioctl with errno as its result: 0 or a positive errno. */
int request(int fd, unsigned long code, void *argument);

struct thread_map {
	struct memphis_attach attach;
	struct memphis_control *control;
	const struct memphis_status *status;
	const struct memphis_sample *records;
	uint32_t capacity;
};

int open_device(void);

/* What differs between the emulated machines' sampling hardware. */
struct hardware {
	uint32_t kind;         /* MEMPHIS_HARDWARE_* */
	const char *pmu;       /* name and ... */
	uint32_t perf_type;    /* ... 0: see sysfs */
	uint32_t capabilities; /* as a query tells them */
	uint32_t counts, count;
	uint64_t period, period_min, period_max, period_step;
};

const struct hardware *hardware(void);
struct memphis_config some_config(void);
/* Attaches (0: the caller) and maps both areas; needs success. */
struct thread_map attach_mapped(int fd, pid_t tid, const struct memphis_config *config);
void unmap(struct thread_map *map);

struct memphis_accounting read_books(const struct thread_map *map);
uint64_t books_sum(const struct memphis_accounting *accounting); /* kept + lost + filtered */
uint64_t unattached(int fd);

/*
 * A file that only root may open. The guest's script opens it for programs that an ordinary user runs, and names the
 * descriptor in this variable of the environment; a program that root runs opens the path itself.
 */
int file_of_root(const char *variable, const char *path, int flags);

/* The machine's count of delivered samples, all CPUs. */
uint64_t delivered(void);

/* Memory first touched on the node of this CPU; and a walk of `loads` loads in scattered order over it. */
void run_on(int cpu);
uint64_t *buffer_on(int cpu, size_t bytes);
uint64_t walk(const uint64_t *buffer, size_t bytes, size_t loads);
bool in_walk(uint64_t pc);

int expected_sampler(const char *argument); /* "task" or "cpu" */

#endif
