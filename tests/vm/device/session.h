/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Helpers shared by the programs of this directory: checks that print their outcome, a thin layer over the
 * device's requests and maps, loads from known addresses, and the machine's own count of samples.
 */
#ifndef SESSION_H
#define SESSION_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <memphis/device.h>

/* Prints "ok NAME" or "not ok NAME: GOT, expected WANTED". The calling test looks for these lines. */
void check_equal(const char *name, uint64_t got, uint64_t wanted);
void check(const char *name, bool holds);
/* Ends the program if a precondition of the checks does not hold. Not a check itself. */
void need(bool holds, const char *what);

/* Calls ioctl; returns 0 or a positive errno. */
int request(int fd, unsigned long code, void *argument);

struct thread_map {
	struct memphis_attach attach;
	struct memphis_control *control;
	const struct memphis_status *status;
	const struct memphis_sample *records;
	uint32_t capacity;
};

/*
 * Opens the device and maps the session's page: a session lasts as long as its owner maps one of its areas. close_device() undoes
 * both.
 */
int open_device(void);
void close_device(int fd);
/* Opens the device; and maps the session's page. Both end the program on failure. */
int open_unmapped(void);
void *map_session(int fd);

/* Properties in which the emulated machines' sampling hardware differs. */
struct hardware {
	uint32_t kind;      /* MEMPHIS_HARDWARE_* */
	const char *pmu;    /* name and type of perf's PMU */
	uint32_t perf_type; /* 0: read the type from sysfs */
	uint32_t counts, count;
	uint64_t period, period_min, period_max, period_step;
};

const struct hardware *hardware(void);

/* An emulated CPU, by its CPUID signature. */
struct emulated {
	uint32_t signature;
	uint32_t capabilities; /* CPUID 8000_001B EAX or IA32_PERF_CAPABILITIES */
	uint32_t events;       /* of memphis_query */
};

const struct emulated *emulated(void);
/* All accesses if the CPU offers the event, else loads from remote DRAM. */
uint32_t one_event(void);
/* Samples all accesses if the CPU offers the event, else loads by all events of loads by source. */
struct memphis_config some_config(void);
/* Attaches thread `tid` (0: the caller) and maps both areas; ends the program on failure. */
struct thread_map attach_mapped(int fd, pid_t tid, const struct memphis_config *config);
/* The same for a thread that may end meanwhile; returns 0 or the error of the request. */
int try_attach(int fd, pid_t tid, const struct memphis_config *config, struct thread_map *map);
/* The same for a thread of another process; `memory` is an open descriptor of /proc/PID/environ or auxv. */
struct thread_map attach_other(int fd, pid_t tid, int memory, const struct memphis_config *config);
void unmap(struct thread_map *map);

struct memphis_accounting read_books(const struct thread_map *map);
uint64_t books_sum(const struct memphis_accounting *accounting); /* kept + lost + filtered */
uint64_t unattached(int fd);

/*
 * Opens a file that only root may open. For programs that an ordinary user runs, the guest's script opens the
 * file and passes the descriptor in this environment variable; a program that root runs opens the path
 * itself.
 */
int file_of_root(const char *variable, const char *path, int flags);

/* Number of samples that the machine delivered on all CPUs. */
uint64_t delivered(void);

/*
 * buffer_on() returns memory first touched on the node of `cpu`; walk() makes `loads` loads from it in
 * scattered order.
 */
void run_on(int cpu);
uint64_t *buffer_on(int cpu, size_t bytes);
uint64_t walk(const uint64_t *buffer, size_t bytes, size_t loads);
bool in_walk(uint64_t pc);
void print_walk(FILE *file); /* prints the addresses of walk() for truth.py: "walk FIRST END" */

int expected_sampler(const char *argument); /* Returns the sampler that `argument` names: "task" or "cpu". */

#endif
