/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs that create samples of their own variables. */
#ifndef VARIABLES_H
#define VARIABLES_H

/* Creates a sample of a load by the calling thread from this address (idle_device.c). */
void idle_sample(const volatile void *address);

#endif
