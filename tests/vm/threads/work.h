/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs of threads.bats share: each thread reads an array of its own, and main prints "KIND TID NUMBER ARRAY-ADDRESS" for each
 * in the end. Nothing here uses memory that belongs to a thread, which those of clone() don't have.
 */
#ifndef WORK_H
#define WORK_H

#ifdef __cplusplus
extern "C" {
#endif

#define WORKERS 4

void work_name(const char *kind, int worker); /* of the calling thread: KIND-NUMBER */
void work_note(int worker);                   /* the calling thread is this worker */
void work_share(int worker);                  /* its share */
void work_print(const char *kind, int workers);
int work_tid(int worker); /* 0: it did not begin */

/* For making.c: start body(worker) in a thread of this kind that nobody waits for. 0 if it runs. */
extern const char *const make_kind;
int make_thread(void (*body)(int), int worker);

#ifdef __cplusplus
}
#endif
#endif
