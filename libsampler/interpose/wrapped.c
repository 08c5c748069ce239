/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposition in libmemphis.a. A program that is linked with `-u memphis_wrapped --wrap=NAME ...`, with
 * each name below, calls the library's wrappers as with the shared library. With --wrap (ld(1)), references
 * to NAME become __wrap_NAME, and references to __real_NAME become NAME.
 */
#include <stdlib.h>
#include <sys/shm.h>

#include "interpose/next_symbols.h"

extern const char memphis_wrapped;
const char memphis_wrapped = 1;

extern __typeof__(malloc) __real_malloc;
extern __typeof__(calloc) __real_calloc;
extern __typeof__(realloc) __real_realloc;
extern __typeof__(reallocarray) __real_reallocarray;
extern __typeof__(free) __real_free;
extern __typeof__(posix_memalign) __real_posix_memalign;
extern __typeof__(aligned_alloc) __real_aligned_alloc;
extern void *__real_memalign(size_t, size_t);
extern void *__real_valloc(size_t);
extern void *__real_pvalloc(size_t);
extern size_t malloc_usable_size(void *);
extern __typeof__(mmap) __real_mmap;
extern __typeof__(munmap) __real_munmap;
extern __typeof__(mremap) __real_mremap;
extern __typeof__(shmat) __real_shmat;
extern __typeof__(shmdt) __real_shmdt;
extern __typeof__(sbrk) __real_sbrk;
extern __typeof__(brk) __real_brk;
extern long __real_syscall(long, long, long, long, long, long, long);
extern __typeof__(execve) __real_execve;
extern __typeof__(execv) __real_execv;
extern __typeof__(execvp) __real_execvp;
extern __typeof__(execvpe) __real_execvpe;
extern __typeof__(fexecve) __real_fexecve;
extern void __real__exit(int);
extern void __real__Exit(int);
extern int __real_unshare(int);
extern int __real_close_range(unsigned int, unsigned int, int) __attribute__((weak));
extern pid_t __real_wait4(pid_t, int *, int, struct rusage *);
extern int __real_waitid(idtype_t, id_t, siginfo_t *, int);
extern int __real_setuid(uid_t);
extern int __real_seteuid(uid_t);
extern int __real_setreuid(uid_t, uid_t);
extern int __real_setresuid(uid_t, uid_t, uid_t);
extern int __real_setgid(gid_t);
extern int __real_setegid(gid_t);
extern int __real_setregid(gid_t, gid_t);
extern int __real_setresgid(gid_t, gid_t, gid_t);
extern int __real_setgroups(size_t, const gid_t *);
extern int __real_initgroups(const char *, gid_t);
extern int __real_setfsuid(uid_t);
extern int __real_setfsgid(gid_t);
extern int __real_capset(void *, void *);
extern int __real_prctl(int, ...);
extern __typeof__(pthread_create) __real_pthread_create;
extern __typeof__(thrd_create) __real_thrd_create;

struct memphis_next memphis_next = {
	.malloc = __real_malloc,
	.calloc = __real_calloc,
	.realloc = __real_realloc,
	.reallocarray = __real_reallocarray,
	.free = __real_free,
	.posix_memalign = __real_posix_memalign,
	.aligned_alloc = __real_aligned_alloc,
	.memalign = __real_memalign,
	.valloc = __real_valloc,
	.pvalloc = __real_pvalloc,
	.malloc_usable_size = malloc_usable_size,
	.mmap = __real_mmap,
	.munmap = __real_munmap,
	.mremap = __real_mremap,
	.shmat = __real_shmat,
	.shmdt = __real_shmdt,
	.sbrk = __real_sbrk,
	.brk = __real_brk,
	.syscall = __real_syscall,
	.execve = __real_execve,
	.execv = __real_execv,
	.execvp = __real_execvp,
	.execvpe = __real_execvpe,
	.fexecve = __real_fexecve,
	._exit = __real__exit,
	._Exit = __real__Exit,
	.unshare = __real_unshare,
	.close_range = __real_close_range,
	.wait4 = __real_wait4,
	.waitid = __real_waitid,
	.setuid = __real_setuid,
	.seteuid = __real_seteuid,
	.setreuid = __real_setreuid,
	.setresuid = __real_setresuid,
	.setgid = __real_setgid,
	.setegid = __real_setegid,
	.setregid = __real_setregid,
	.setresgid = __real_setresgid,
	.setgroups = __real_setgroups,
	.initgroups = __real_initgroups,
	.setfsuid = __real_setfsuid,
	.setfsgid = __real_setfsgid,
	.capset = __real_capset,
	.prctl = __real_prctl,
	.pthread_create = __real_pthread_create,
	.thrd_create = __real_thrd_create,
};
