/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interface shared by the programs of threads.bats: each thread reads an array of its own, and at the end
 * main prints "KIND TID NUMBER ARRAY-ADDRESS" for each. Nothing here uses thread-local storage, which clone()
 * threads do not have.
 */
#ifndef WORK_H
#define WORK_H

#ifdef __cplusplus
extern "C" {
#endif

#define WORKERS 4

void work_name(const char *kind, int worker); /* names the calling thread KIND-NUMBER */
void work_note(int worker);                   /* records the calling thread as this worker */
void work_share(int worker);                  /* does the worker's share of the work */
void work_print(const char *kind, int workers);
int work_tid(int worker); /* thread id; 0: the worker did not begin */

/* For making.c: starts body(worker) in a detached thread of this kind. Returns 0 on success. */
extern const char *const make_kind;
int make_thread(void (*body)(int), int worker);

#ifdef __cplusplus
}
#endif
#endif
