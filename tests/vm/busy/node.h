/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs of this directory share beside ../device/session.h: the node's switches, and runs with
 * all that is told about them.
 */
#ifndef NODE_H
#define NODE_H

#include "../device/session.h"

/* Writes one word to a file of /proc or /sys; needs success. */
void set(const char *path, const char *value);
void set_online(int cpu, bool online);
unsigned long read_number(const char *path);
/* The calling thread may run on every CPU. */
void run_anywhere(void);
void run_thread_on(pid_t tid, int cpu);

/* A configured session; its file. */
int open_session(const struct memphis_config *config);
struct memphis_stats read_stats(int fd);
void start(int fd);
void stop(int fd);

/* What the machine delivered and hit none of ours, between two calls. */
struct tally {
	uint64_t delivered, unattached;
};
struct tally tally(int fd);
/* Delivered to attached threads since then. */
uint64_t delivered_since(int fd, struct tally before);

/* Allocations of rings that the kernel holds, by all sessions together. */
unsigned int rings_in_kernel(void);

uint64_t now_ns(void);

#endif
