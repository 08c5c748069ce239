/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that the library stands in front of: what the program would have called without it. */
#ifndef MEMPHIS_REAL_H
#define MEMPHIS_REAL_H

#include <pthread.h>
#include <threads.h>

#include "base/sys.h"

/*
 * What the library calls the functions that it stands in front of. In the shared library it is their own names. In
 * libmemphis.a, which may become part of a static program, these are the C library's: there it is what the linker's
 * --wrap=NAME puts in their place (interpose/wrapped.c).
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
	/* Not callable before memphis_next_setup(). */
	int (*execve)(const char *, char *const[], char *const[]);
	int (*execv)(const char *, char *const[]);
	int (*execvp)(const char *, char *const[]);
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*fexecve)(int, char *const[], char *const[]);
	int (*unshare)(int);
	int (*setns)(int, int);
	int (*close_range)(unsigned int, unsigned int, int); /* NULL: the C library has none */
	/* As those above. */
	int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*thrd_create)(thrd_t *, thrd_start_t, void *);
};

/*
 * Callable from the first instruction on: until memphis_next_setup() has run, they run it themselves. In a program that
 * was linked with libmemphis.a and without --wrap, all are NULL but pthread_create().
 */
extern struct memphis_next memphis_next;

/* Find them all, once. The first call is made while the process has one thread. */
void memphis_next_setup(void);

#endif
