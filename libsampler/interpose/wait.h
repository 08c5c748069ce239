/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits for children, which do not return the companions. */
#ifndef MEMPHIS_WAIT_H
#define MEMPHIS_WAIT_H

/* Handlers of system calls (interpose/syscall.c). Each makes the call as the function of the C library does. */
long memphis_wait_call_wait4(const long arguments[6], void *frame);
long memphis_wait_call_waitid(const long arguments[6], void *frame);

#endif
