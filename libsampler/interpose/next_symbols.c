/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions that the program would have called without the library. The table initially contains
 * stand-ins that look up the functions on the first call, so that the path to malloc() needs no test.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#include "control/tracking.h"
#include "interpose/next_symbols.h"
#include "core/sanitizer.h"

/*
 * Alternative names of the C library's allocator, for allocations that dlsym() itself makes during the
 * look-up. If the program uses another allocator, releasing these blocks would reach the wrong one, but
 * dlsym() never releases them.
 */
extern void *__libc_malloc(size_t) __attribute__((weak));
extern void *__libc_calloc(size_t, size_t) __attribute__((weak));
extern void *__libc_realloc(void *, size_t) __attribute__((weak));
extern void *__libc_memalign(size_t, size_t) __attribute__((weak));
extern void __libc_free(void *) __attribute__((weak));

/*
 * Changed only while there is one thread. Atomic, because dlsym() calls back into this file, by calloc(), although it is declared as a
 * function that does not: the compiler then omits plain stores to a static variable before its calls.
 */
static _Atomic enum { NOT_SET_UP, LOOKING_UP, SET_UP, COMPLETE } state;

static void *early_malloc(size_t bytes)
{
	if (atomic_load_explicit(&state, memory_order_relaxed) == LOOKING_UP)
		return __libc_malloc ? __libc_malloc(bytes) : NULL;
	memphis_next_setup();
	return memphis_next.malloc(bytes);
}

static void *early_calloc(size_t count, size_t bytes)
{
	if (atomic_load_explicit(&state, memory_order_relaxed) == LOOKING_UP)
		return __libc_calloc ? __libc_calloc(count, bytes) : NULL;
	memphis_next_setup();
	return memphis_next.calloc(count, bytes);
}

static void *early_realloc(void *block, size_t bytes)
{
	if (atomic_load_explicit(&state, memory_order_relaxed) == LOOKING_UP)
		return __libc_realloc ? __libc_realloc(block, bytes) : NULL;
	memphis_next_setup();
	return memphis_next.realloc(block, bytes);
}

static void *early_reallocarray(void *block, size_t count, size_t bytes)
{
	memphis_next_setup();
	return memphis_next.reallocarray(block, count, bytes);
}

static void early_free(void *block)
{
	if (atomic_load_explicit(&state, memory_order_relaxed) == LOOKING_UP) {
		if (__libc_free)
			__libc_free(block);
		return;
	}
	memphis_next_setup();
	memphis_next.free(block);
}

static int early_posix_memalign(void **block, size_t alignment, size_t bytes)
{
	memphis_next_complete();
	return memphis_next.posix_memalign(block, alignment, bytes);
}

static void *early_aligned_alloc(size_t alignment, size_t bytes)
{
	memphis_next_complete();
	return memphis_next.aligned_alloc(alignment, bytes);
}

static void *early_memalign(size_t alignment, size_t bytes)
{
	if (atomic_load_explicit(&state, memory_order_relaxed) == LOOKING_UP)
		return __libc_memalign ? __libc_memalign(alignment, bytes) : NULL;
	memphis_next_complete();
	return memphis_next.memalign(alignment, bytes);
}

static void *early_valloc(size_t bytes)
{
	memphis_next_complete();
	return memphis_next.valloc(bytes);
}

static void *early_pvalloc(size_t bytes)
{
	memphis_next_complete();
	return memphis_next.pvalloc(bytes);
}

static size_t early_usable_size(void *block)
{
	memphis_next_setup();
	return memphis_next.malloc_usable_size(block);
}

/* As syscall(): on failure, sets errno and returns -1. */
static long early_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long result = sys_call(number, a, b, c, d, e, f);

	if (!sys_error(result))
		return result;
	errno = -sys_error(result);
	return -1;
}

static void *early_mmap(void *start, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	return (void *)early_syscall(SYS_mmap, (long)start, (long)bytes, protection, flags, fd, offset);
}

static int early_munmap(void *start, size_t bytes)
{
	return (int)early_syscall(SYS_munmap, (long)start, (long)bytes, 0, 0, 0, 0);
}

static void *early_mremap(void *start, size_t bytes, size_t new_bytes, int flags, ...)
{
	void *target = NULL;
	va_list args;

	va_start(args, flags);
	if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP))
		target = va_arg(args, void *);
	va_end(args);
	return (void *)early_syscall(SYS_mremap, (long)start, (long)bytes, (long)new_bytes, flags,
				     (long)target, 0);
}

static void *early_shmat(int id, const void *start, int flags)
{
	memphis_next_complete();
	return memphis_next.shmat(id, start, flags);
}

static int early_shmdt(const void *start)
{
	memphis_next_complete();
	return memphis_next.shmdt(start);
}

static void *early_sbrk(intptr_t bytes)
{
	memphis_next_setup();
	return memphis_next.sbrk(bytes);
}

static int early_brk(void *end)
{
	memphis_next_setup();
	return memphis_next.brk(end);
}

static int early_dlclose(void *handle)
{
	memphis_next_complete();
	return memphis_next.dlclose(handle);
}

static int early_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *),
				void *argument)
{
	memphis_next_complete();
	return memphis_next.pthread_create(thread, attr, routine, argument);
}

static int early_thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
	memphis_next_setup();
	return memphis_next.thrd_create(thread, routine, argument);
}

struct memphis_next memphis_next = {
	.malloc = early_malloc,
	.calloc = early_calloc,
	.realloc = early_realloc,
	.reallocarray = early_reallocarray,
	.free = early_free,
	.posix_memalign = early_posix_memalign,
	.aligned_alloc = early_aligned_alloc,
	.memalign = early_memalign,
	.valloc = early_valloc,
	.pvalloc = early_pvalloc,
	.malloc_usable_size = early_usable_size,
	.mmap = early_mmap,
	.munmap = early_munmap,
	.mremap = early_mremap,
	.shmat = early_shmat,
	.shmdt = early_shmdt,
	.sbrk = early_sbrk,
	.brk = early_brk,
	.syscall = early_syscall,
	.dlclose = early_dlclose,
	.pthread_create = early_pthread_create,
	.thrd_create = early_thrd_create,
};

/* Stores the data pointer from dlsym() as a function pointer, which POSIX permits, but ISO C does not. */
#define LOOK_UP(table, name)                                              \
	do {                                                              \
		void *symbol_ = dlsym(RTLD_NEXT, #name);                  \
                                                                          \
		if (symbol_)                                              \
			memcpy(&(table).name, &symbol_, sizeof(symbol_)); \
	} while (0)

/*
 * Looks up three kinds of functions: those that allocators call while they hold their locks, those that handlers of signals call, and those
 * that an old C library may lack, because dlsym() allocates memory when it does not find a function.
 */
void memphis_next_setup(void)
{
	struct memphis_next found;

	if (likely(atomic_load_explicit(&state, memory_order_relaxed) != NOT_SET_UP))
		return;
	atomic_store(&state, LOOKING_UP);
	found = memphis_next;
	LOOK_UP(found, malloc);
	LOOK_UP(found, calloc);
	LOOK_UP(found, realloc);
	LOOK_UP(found, reallocarray);
	LOOK_UP(found, free);
	LOOK_UP(found, malloc_usable_size);
	LOOK_UP(found, mmap);
	LOOK_UP(found, munmap);
	LOOK_UP(found, mremap);
	LOOK_UP(found, sbrk);
	LOOK_UP(found, brk);
	LOOK_UP(found, syscall);
	LOOK_UP(found, thrd_create);
	LOOK_UP(found, execve);
	LOOK_UP(found, execv);
	LOOK_UP(found, execvp);
	LOOK_UP(found, execvpe);
	LOOK_UP(found, fexecve);
	LOOK_UP(found, wait4);
	LOOK_UP(found, waitid);
	LOOK_UP(found, _exit);
	LOOK_UP(found, _Exit);
	LOOK_UP(found, close_range);
	memphis_next = found;
	atomic_store(&state, SET_UP);
	if (!memphis_sanitizer_is_behind())
		memphis_tracking_setup(true);
}

/* A look-up takes a microsecond, and most processes that a program starts call none of these functions. */
void memphis_next_complete(void)
{
	struct memphis_next found;

	memphis_next_setup();
	if (likely(atomic_load_explicit(&state, memory_order_acquire) != SET_UP))
		return;
	found = memphis_next;
	LOOK_UP(found, posix_memalign);
	LOOK_UP(found, aligned_alloc);
	LOOK_UP(found, memalign);
	LOOK_UP(found, valloc);
	LOOK_UP(found, pvalloc);
	LOOK_UP(found, shmat);
	LOOK_UP(found, shmdt);
	LOOK_UP(found, dlclose);
	LOOK_UP(found, pthread_create);
	LOOK_UP(found, unshare);
	LOOK_UP(found, setuid);
	LOOK_UP(found, seteuid);
	LOOK_UP(found, setreuid);
	LOOK_UP(found, setresuid);
	LOOK_UP(found, setgid);
	LOOK_UP(found, setegid);
	LOOK_UP(found, setregid);
	LOOK_UP(found, setresgid);
	LOOK_UP(found, setgroups);
	LOOK_UP(found, initgroups);
	LOOK_UP(found, setfsuid);
	LOOK_UP(found, setfsgid);
	LOOK_UP(found, capset);
	LOOK_UP(found, prctl);
	memphis_next = found;
	atomic_store_explicit(&state, COMPLETE, memory_order_release);
}
