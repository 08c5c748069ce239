/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs have that make samples of their own variables. */
#ifndef VARIABLES_H
#define VARIABLES_H

/* A sample of the calling thread, which reads there (idle_device.c). */
void idle_sample(const volatile void *address);

#endif
