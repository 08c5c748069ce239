/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions that the program would call without the library. At first, the table contains stand-ins that
 * look up the functions on the first call, so that the path to malloc() needs no test.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "control/tracking.h"
#include "interpose/next_symbols.h"
#include "core/sanitizer.h"

#define PAGE_BYTES ((size_t)4096)

/*
 * The first call changes the state to SET_UP while the process has one thread. The variable is atomic for
 * another reason: dlsym() may call calloc() and thus this file, but glibc declares it as a function that does
 * not call back into its caller's file (leaf). The compiler could therefore move a plain store of a static
 * variable behind the call.
 */
static _Atomic enum { NOT_SET_UP, LOOKING_UP, SET_UP, COMPLETE } state;

/* True while this thread is in look_up_functions(). Volatile, so that the compiler stores it before the calls of dlsym(). */
static __thread volatile bool looks_up __attribute__((tls_model("initial-exec")));

enum time { START, LATER };

/* The look-up for each of the two times. */
#define LOOK_UP_START memphis_next_setup()
#define LOOK_UP_LATER memphis_next_complete()

#define EARLY_FIND(when, result, name, parameters, arguments) \
	static result early_##name parameters                 \
	{                                                     \
		LOOK_UP_##when;                               \
		return memphis_next.name arguments;           \
	}

/*
 * Stand-in of an allocator function. dlsym() itself may allocate. If the program uses another allocator than
 * the C library's, a release of such a block would reach the wrong allocator, but dlsym() never releases
 * these blocks. Functions that have no other name in the C library fail during the look-up.
 */
#define EARLY_ALLOCATOR(when, result, name, parameters, arguments)                  \
	extern result __libc_##name parameters __attribute__((weak));               \
	static result early_##name parameters                                       \
	{                                                                           \
		if (looks_up)                                                       \
			return __libc_##name ? __libc_##name arguments : (result)0; \
		LOOK_UP_##when;                                                     \
		return memphis_next.name arguments;                                 \
	}

#define EARLY_OWN(when, result, name, parameters, arguments)
#define EARLY_NONE(when, result, name, parameters, arguments)
#define EARLY(when, result, name, parameters, arguments, stand_in) \
	EARLY_##stand_in(when, result, name, parameters, arguments)

MEMPHIS_WRAPPED(EARLY)
MEMPHIS_UNWRAPPED(EARLY)

/* Fails during the look-up. dlsym() does not call reallocarray(), and its other name in the C library is private. */
static void *early_reallocarray(void *block, size_t count, size_t bytes)
{
	if (looks_up)
		return NULL;
	memphis_next_setup();
	return memphis_next.reallocarray(block, count, bytes);
}

static int early_posix_memalign(void **block, size_t alignment, size_t bytes)
{
	if (looks_up) {
		*block = early_memalign(alignment, bytes);
		return *block ? 0 : ENOMEM;
	}
	memphis_next_complete();
	return memphis_next.posix_memalign(block, alignment, bytes);
}

/*
 * The C library has other names for the following functions, too. They are not used, because each reference
 * costs every process a look-up at its start.
 */
static void *early_aligned_alloc(size_t alignment, size_t bytes)
{
	if (looks_up)
		return early_memalign(alignment, bytes);
	memphis_next_complete();
	return memphis_next.aligned_alloc(alignment, bytes);
}

static void *early_valloc(size_t bytes)
{
	if (looks_up)
		return early_memalign(PAGE_BYTES, bytes);
	memphis_next_complete();
	return memphis_next.valloc(bytes);
}

static void *early_pvalloc(size_t bytes)
{
	if (looks_up)
		return early_memalign(PAGE_BYTES, (bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1));
	memphis_next_complete();
	return memphis_next.pvalloc(bytes);
}

/* Does the same as syscall(): on failure, sets errno and returns -1. */
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

#define INITIAL_FIND(name)      .name = early_##name,
#define INITIAL_ALLOCATOR(name) .name = early_##name,
#define INITIAL_OWN(name)       .name = early_##name,
#define INITIAL_NONE(name)
#define INITIAL(when, result, name, parameters, arguments, stand_in) INITIAL_##stand_in(name)

struct memphis_next memphis_next = {MEMPHIS_WRAPPED(INITIAL) MEMPHIS_UNWRAPPED(INITIAL)};

/* Stores the data pointer from dlsym() as a function pointer. POSIX permits this, ISO C does not. */
#define LOOK_UP(when_, result, name, parameters, arguments, stand_in) \
	if (when == when_) {                                          \
		void *const symbol = dlsym(RTLD_NEXT, #name);         \
                                                                      \
		if (symbol)                                           \
			memcpy(&found.name, &symbol, sizeof(symbol)); \
	}

static void look_up_functions(enum time when)
{
	struct memphis_next found = memphis_next;

	looks_up = true;
	MEMPHIS_WRAPPED(LOOK_UP)
	MEMPHIS_UNWRAPPED(LOOK_UP)
	looks_up = false;
	memphis_next = found;
}

void memphis_next_setup(void)
{
	if (likely(atomic_load_explicit(&state, memory_order_relaxed) != NOT_SET_UP))
		return;
	atomic_store(&state, LOOKING_UP);
	look_up_functions(START);
	atomic_store(&state, SET_UP);
	if (!memphis_sanitizer_is_behind())
		memphis_tracking_setup(true);
}

void memphis_next_complete(void)
{
	memphis_next_setup();
	if (likely(atomic_load_explicit(&state, memory_order_acquire) != SET_UP))
		return;
	look_up_functions(LATER);
	atomic_store_explicit(&state, COMPLETE, memory_order_release);
}
