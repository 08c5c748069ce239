/* SPDX-License-Identifier: BSD-3-Clause */
/* A stack of the library's own, for work that takes more than threads of the program may have (PTHREAD_STACK_MIN: 16 KiB). */
#ifndef MEMPHIS_OWN_STACK_H
#define MEMPHIS_OWN_STACK_H

/*
 * Calls the function on a stack that exists only during the call. Uses the caller's stack if there is no memory
 * for it. Only one thread at a time may call this, and the function must not call it.
 */
void memphis_call_on_own_stack(void (*function)(void *), void *data);

#endif
