/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interposed functions of the C library, and the functions that the program would call without the
 * library. The latter are the next definitions in the order of symbol look-up.
 */
#ifndef MEMPHIS_NEXT_SYMBOLS_H
#define MEMPHIS_NEXT_SYMBOLS_H

#include <pthread.h>
#include <sys/wait.h>
#include <threads.h>

#include "base/sys.h"

struct rusage;

/*
 * The name under which the library defines the interposed function NAME. In the shared library, this is NAME
 * itself. libmemphis.a may be linked into a static program together with the C library's NAME. There, it is
 * the symbol to which the linker option --wrap=NAME redirects calls (interpose/wrapped.c).
 */
#ifdef MEMPHIS_ARCHIVE
#define MEMPHIS_ENTRY(name) __wrap_##name
#else
#define MEMPHIS_ENTRY(name) name
#endif

/*
 * The tables of functions. Each row defines several things: the member of struct memphis_next, its look-up,
 * its stand-in before the look-up, and the declarations of the library's function and, with --wrap, of the C
 * library's function. packaging/wrap lists the same names. A row is
 *
 *	ROW(when, result, name, parameters, arguments, stand-in)
 *
 * `when` is the time of the look-up.
 * - START: memphis_next_setup() looks it up. These are functions that allocators call while they hold their
 *   locks, functions that signal handlers call, and functions that an old C library may lack. The last ones
 *   are included because dlsym() allocates memory when it does not find a function.
 * - LATER: memphis_next_complete() looks it up.
 *
 * The stand-in makes the entry callable from the first instruction of the program.
 * - FIND: looks up the function and calls it.
 * - ALLOCATOR: does the same, but calls the C library's own allocator under its other name while functions
 *   are being looked up.
 * - OWN: a function in next_symbols.c.
 * - NONE: the entry is NULL until the look-up. It remains NULL if the C library does not have the function.
 */
#define MEMPHIS_ALLOCATORS(ROW)                                                                       \
	ROW(START, void *, malloc, (size_t bytes), (bytes), ALLOCATOR)                                \
	ROW(START, void *, calloc, (size_t count, size_t bytes), (count, bytes), ALLOCATOR)           \
	ROW(START, void *, realloc, (void *block, size_t bytes), (block, bytes), ALLOCATOR)           \
	ROW(START, void *, reallocarray, (void *block, size_t count, size_t bytes), (), OWN)          \
	ROW(START, void, free, (void *block), (block), ALLOCATOR)                                     \
	ROW(LATER, int, posix_memalign, (void **block, size_t alignment, size_t bytes), (), OWN)      \
	ROW(LATER, void *, aligned_alloc, (size_t alignment, size_t bytes), (), OWN)                  \
	ROW(LATER, void *, memalign, (size_t alignment, size_t bytes), (alignment, bytes), ALLOCATOR) \
	ROW(LATER, void *, valloc, (size_t bytes), (), OWN)                                           \
	ROW(LATER, void *, pvalloc, (size_t bytes), (), OWN)

#define MEMPHIS_MAPS(ROW)                                                                                  \
	ROW(START, void *, mmap,                                                                           \
	    (void *hint, size_t bytes, int protection, int flags, int fd, off_t offset), (), OWN)          \
	ROW(START, int, munmap, (void *start, size_t bytes), (), OWN)                                      \
	ROW(START, void *, mremap, (void *start, size_t bytes, size_t new_bytes, int flags, ...), (), OWN) \
	ROW(LATER, void *, shmat, (int id, const void *address, int flags), (id, address, flags), FIND)    \
	ROW(LATER, int, shmdt, (const void *start), (start), FIND)                                         \
	ROW(START, void *, sbrk, (intptr_t bytes), (bytes), FIND)                                          \
	ROW(START, int, brk, (void *end), (end), FIND)

/* The wrapper passes the maximum number of arguments of a system call. */
#define MEMPHIS_SYSCALL(ROW) \
	ROW(START, long, syscall, (long number, long a, long b, long c, long d, long e, long f), (), OWN)

#define MEMPHIS_EXECS(ROW)                                                                   \
	ROW(START, int, execve, (const char *path, char *const argv[], char *const envp[]),  \
	    (path, argv, envp), NONE)                                                        \
	ROW(START, int, execv, (const char *path, char *const argv[]), (path, argv), NONE)   \
	ROW(START, int, execvp, (const char *file, char *const argv[]), (file, argv), NONE)  \
	ROW(START, int, execvpe, (const char *file, char *const argv[], char *const envp[]), \
	    (file, argv, envp), NONE)                                                        \
	ROW(START, int, fexecve, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp), NONE)

#define MEMPHIS_EXITS(ROW)                                    \
	ROW(START, void, _exit, (int status), (status), NONE) \
	ROW(START, void, _Exit, (int status), (status), NONE)

#define MEMPHIS_WAITS(ROW)                                                                              \
	ROW(START, pid_t, wait4, (pid_t pid, int *status, int options, struct rusage *usage), (), NONE) \
	ROW(START, int, waitid, (idtype_t type, id_t id, siginfo_t * info, int options), (), NONE)

#define MEMPHIS_NAMESPACES(ROW)                         \
	ROW(LATER, int, unshare, (int flags), (), NONE) \
	ROW(START, int, close_range, (unsigned int first, unsigned int last, int flags), (), NONE)

#define MEMPHIS_CREDENTIALS(ROW)                                                         \
	ROW(LATER, int, setuid, (uid_t uid), (), NONE)                                   \
	ROW(LATER, int, seteuid, (uid_t uid), (), NONE)                                  \
	ROW(LATER, int, setreuid, (uid_t real, uid_t effective), (), NONE)               \
	ROW(LATER, int, setresuid, (uid_t real, uid_t effective, uid_t saved), (), NONE) \
	ROW(LATER, int, setgid, (gid_t gid), (), NONE)                                   \
	ROW(LATER, int, setegid, (gid_t gid), (), NONE)                                  \
	ROW(LATER, int, setregid, (gid_t real, gid_t effective), (), NONE)               \
	ROW(LATER, int, setresgid, (gid_t real, gid_t effective, gid_t saved), (), NONE) \
	ROW(LATER, int, setgroups, (size_t count, const gid_t *groups), (), NONE)        \
	ROW(LATER, int, initgroups, (const char *user, gid_t group), (), NONE)           \
	ROW(LATER, int, setfsuid, (uid_t uid), (), NONE)                                 \
	ROW(LATER, int, setfsgid, (gid_t gid), (), NONE)                                 \
	ROW(LATER, int, capset, (void *header, void *data), (), NONE)                    \
	ROW(LATER, int, prctl, (int option, ...), (), NONE)

#define MEMPHIS_THREADS(ROW)                                                                            \
	ROW(LATER, int, pthread_create,                                                                 \
	    (pthread_t * thread, const pthread_attr_t *attr, void *(*routine)(void *), void *argument), \
	    (thread, attr, routine, argument), FIND)                                                    \
	ROW(START, int, thrd_create, (thrd_t * thread, thrd_start_t routine, void *argument),           \
	    (thread, routine, argument), FIND)

#define MEMPHIS_WRAPPED(ROW)     \
	MEMPHIS_ALLOCATORS(ROW)  \
	MEMPHIS_MAPS(ROW)        \
	MEMPHIS_SYSCALL(ROW)     \
	MEMPHIS_EXECS(ROW)       \
	MEMPHIS_EXITS(ROW)       \
	MEMPHIS_WAITS(ROW)       \
	MEMPHIS_NAMESPACES(ROW)  \
	MEMPHIS_CREDENTIALS(ROW) \
	MEMPHIS_THREADS(ROW)

/* Declares the library's functions. */
#define MEMPHIS_DECLARE(when, result, name, parameters, arguments, stand_in) \
	PUBLIC result MEMPHIS_ENTRY(name) parameters;

/* Functions that are not wrapped in programs linked with libmemphis.a. */
#define MEMPHIS_UNWRAPPED(ROW)                                               \
	ROW(START, size_t, malloc_usable_size, (void *block), (block), FIND) \
	ROW(LATER, int, dlclose, (void *handle), (handle), FIND)

#define MEMPHIS_MEMBER(when, result, name, parameters, arguments, stand_in) result(*name) parameters;
struct memphis_next {
	MEMPHIS_WRAPPED(MEMPHIS_MEMBER)
	MEMPHIS_UNWRAPPED(MEMPHIS_MEMBER)
};

/* In a program linked with libmemphis.a but without --wrap, all entries are NULL except pthread_create and thrd_create. */
extern struct memphis_next memphis_next;

/* Makes a system call in the same way as the program would without the library. */
static inline long memphis_next_call(long number, const long a[6])
{
	return memphis_next.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/*
 * Looks up the functions with time START, once. Then decides what is tracked. The first call must be made
 * while the process has one thread.
 */
void memphis_next_setup(void);

/*
 * Looks up the other functions, once. This is done later because a look-up takes a microsecond, and most
 * processes that a program starts call none of these functions. The wrapper of pthread_create() calls it, so
 * that the functions are known before the program has several threads. A child of a program with several
 * threads can't look them up safely: a look-up takes a lock of the loader, which another thread may have held
 * during fork().
 */
void memphis_next_complete(void);

#endif
