/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Helpers for the programs of this directory, beside ../device/session.h: switches of the node, and sampled
 * runs with all their counts.
 */
#ifndef NODE_H
#define NODE_H

#include "../device/session.h"

/* Writes a word to a file of /proc or /sys; ends the program on failure. */
void set(const char *path, const char *value);
void set_online(int cpu, bool online);
unsigned long read_number(const char *path);
/* Lets the calling thread run on every CPU. */
void run_anywhere(void);
void run_thread_on(pid_t tid, int cpu);

/* Opens and configures a session; returns its descriptor. */
int open_session(const struct memphis_config *config);
struct memphis_stats read_stats(int fd);
void start(int fd);
void stop(int fd);

/* Samples that the machine delivered, and interrupts that hit no attached thread. */
struct tally {
	uint64_t delivered, unattached;
};
struct tally tally(int fd);
/* Samples delivered to attached threads since `before`. */
uint64_t delivered_since(int fd, struct tally before);

/* Number of allocations for rings that the kernel holds for all sessions together. */
unsigned int rings_in_kernel(void);

uint64_t now_ns(void);

#endif
