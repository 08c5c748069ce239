/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions that the program would have called without the library: the next definitions, in symbol
 * look-up order, of the functions that the library interposes.
 */
#ifndef MEMPHIS_NEXT_SYMBOLS_H
#define MEMPHIS_NEXT_SYMBOLS_H

#include <pthread.h>
#include <sys/wait.h>
#include <threads.h>

#include "base/sys.h"

struct rusage;

/*
 * The name under which the library defines the interposed function NAME. In the shared library this is NAME
 * itself. In libmemphis.a, which may be linked into a static program together with the C library's NAME, this
 * is the symbol to which the linker option --wrap=NAME redirects calls (interpose/wrapped.c).
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
	long (*syscall)(long, long, long, long, long, long,
			long); /* with all arguments that a call may have */
	int (*dlclose)(void *);
	/* Callable only after memphis_next_complete(), unlike the other members. */
	int (*execve)(const char *, char *const[], char *const[]);
	int (*execv)(const char *, char *const[]);
	int (*execvp)(const char *, char *const[]);
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*fexecve)(int, char *const[], char *const[]);
	void (*_exit)(int);
	void (*_Exit)(int);
	int (*unshare)(int);
	int (*close_range)(unsigned int, unsigned int, int); /* NULL if the C library does not provide it */
	pid_t (*wait4)(pid_t, int *, int, struct rusage *);
	int (*waitid)(idtype_t, id_t, siginfo_t *, int);
	int (*setuid)(uid_t);
	int (*seteuid)(uid_t);
	int (*setreuid)(uid_t, uid_t);
	int (*setresuid)(uid_t, uid_t, uid_t);
	int (*setgid)(gid_t);
	int (*setegid)(gid_t);
	int (*setregid)(gid_t, gid_t);
	int (*setresgid)(gid_t, gid_t, gid_t);
	int (*setgroups)(size_t, const gid_t *);
	int (*initgroups)(const char *, gid_t);
	int (*setfsuid)(uid_t);
	int (*setfsgid)(gid_t);
	int (*capset)(void *, void *);
	int (*prctl)(int, ...);
	/* Callable at any time, like the first members. */
	int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*thrd_create)(thrd_t *, thrd_start_t, void *);
};

/*
 * Most entries are callable from the first instruction of the program: initially they look up the functions, and those of mmap(),
 * munmap(), mremap() and syscall() make the system call. In a program that was linked with libmemphis.a but without --wrap, all entries
 * are NULL except pthread_create and thrd_create.
 */
extern struct memphis_next memphis_next;

/*
 * Looks up, once, the functions that may not be looked up later: those that allocators call, and those that handlers of signals may call (exec,
 * wait, _exit). Then decides what is tracked. The first call must be made while the process has one thread.
 */
void memphis_next_setup(void);

/*
 * Looks up the other functions, once. Called by the wrapper of pthread_create(), so that a child of a program with several threads has no need
 * for it: a look-up takes a lock of the loader, which another thread may have held during fork().
 */
void memphis_next_complete(void);

#endif
