/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Helpers for the programs of this directory, beside device/session.h: users, children, and descriptors sent
 * over sockets.
 */
#ifndef COMMON_H
#define COMMON_H

#include "session.h"

/* User ids of two ordinary users. */
#define ALICE 1000
#define BOB   1001

/* Returns a valid configuration with the shortest period of this hardware. */
struct memphis_config shortest_config(int fd);

/* Changes permanently from root to an ordinary user. The process stays dumpable, so it may inspect itself. */
void become(unsigned int uid);

/* Runs body(argument) in a child process, which exits with 0 if the function returns. */
pid_t start_child(void (*body)(void *), void *argument);
/* Waits for the child and returns its exit status, or 128 + the signal. */
int end_of(pid_t child);

/* Returns memory that children share with the parent. */
void *shared_memory(size_t bytes);
void wait_for(const int *flag, int value);
void reach(int *flag);

/* Sends a descriptor with SCM_RIGHTS. */
void send_descriptor(int socket, int fd);
int receive_descriptor(int socket);

/* Calls mmap and returns 0 or errno; a successful map is removed again. */
int try_map(int fd, uint64_t offset, size_t bytes, int protection, int flags);

#endif
