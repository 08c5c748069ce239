/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs that create samples of their own variables. */
#ifndef VARIABLES_H
#define VARIABLES_H

#include <sys/types.h>

/* Creates a sample of a load by the calling thread from this address (idle_device.c). */
void idle_sample(const volatile void *address);
/* Reports that a thread has ended, as the device does (idle_device.c). */
void idle_exited(pid_t tid);

#endif
