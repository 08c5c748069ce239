/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs of this directory share beside device/session.h: users, children, descriptors on their way.
 */
#ifndef COMMON_H
#define COMMON_H

#include "core/session.h"

/* Two ordinary users. */
#define ALICE 1000
#define BOB   1001

/* A configuration that this hardware takes, at its shortest period. */
struct memphis_config shortest_config(int fd);

/* From root to an ordinary user, for good; the process stays one that may look at itself. */
void become(unsigned int uid);

/* Runs body(argument) in a child process, which ends with 0 if it returns. */
pid_t start_child(void (*body)(void *), void *argument);
/* Waits for it: exit status, or 128 + the signal. */
int end_of(pid_t child);

/* Memory that children share with the parent. */
void *shared_memory(size_t bytes);
void wait_for(const int *flag, int value);
void reach(int *flag);

/* SCM_RIGHTS. */
void send_descriptor(int socket, int fd);
int receive_descriptor(int socket);

/* mmap with errno as its result; a map that works is taken away again. */
int try_map(int fd, uint64_t offset, size_t bytes, int protection, int flags);

#endif
