/* SPDX-License-Identifier: BSD-3-Clause */
/* The interposed functions as the program would have called them without the library: the next ones in symbol look-up. */
#ifndef MEMPHIS_NEXT_SYMBOLS_H
#define MEMPHIS_NEXT_SYMBOLS_H

#include <pthread.h>
#include <threads.h>

#include "base/sys.h"

/*
 * The name under which the library defines the interposed function NAME: in the shared library NAME itself; in libmemphis.a,
 * which may be linked into a static program with the C library's NAME, the symbol to which the linker's --wrap=NAME
 * redirects calls (interpose/wrapped.c).
 */
#ifdef MEMPHIS_ARCHIVE
#define MEMPHIS_ENTRY(name) __wrap_##name
#else
#define MEMPHIS_ENTRY(name) name
#endif

struct memphis_next {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void *(*reallocarray)(void *, size_t, size_t);
	void (*free)(void *);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	size_t (*malloc_usable_size)(void *);
	void *(*mmap)(void *, size_t, int, int, int, off_t);
	int (*munmap)(void *, size_t);
	void *(*mremap)(void *, size_t, size_t, int, ...);
	void *(*shmat)(int, const void *, int);
	int (*shmdt)(const void *);
	void *(*sbrk)(intptr_t);
	int (*brk)(void *);
	int (*dlclose)(void *);
	/* Not callable before memphis_next_setup(), unlike all others. */
	int (*execve)(const char *, char *const[], char *const[]);
	int (*execv)(const char *, char *const[]);
	int (*execvp)(const char *, char *const[]);
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*fexecve)(int, char *const[], char *const[]);
	int (*unshare)(int);
	int (*setns)(int, int);
	int (*close_range)(unsigned int, unsigned int, int); /* NULL: the C library has none */
	/* Callable at any time, as those at the top. */
	int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*thrd_create)(thrd_t *, thrd_start_t, void *);
};

/*
 * Callable from the first instruction on: the initial entries call memphis_next_setup() themselves; those of mmap(), munmap()
 * and mremap() make the system call. In a program that was
 * linked with libmemphis.a but without --wrap, all entries are NULL except pthread_create and thrd_create.
 */
extern struct memphis_next memphis_next;

/* Look up all functions, once, and decide what is tracked. The first call is made while the process has one thread. */
void memphis_next_setup(void);

#endif
