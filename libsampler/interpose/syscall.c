/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposition of syscall(2): system calls that the library must know of, although the program, or a hook of another library, makes them
 * without the C library's functions. Async-signal-safe as far as the handlers are.
 */
#include "interpose/map.h"
#include "interpose/next_symbols.h"

#define QUOTED(name) #name
#define NAME(entry)  QUOTED(entry)

/* Makes the call and returns its result as syscall() does. `frame`: frame address of the library's function that the program called. */
typedef long handler(const long arguments[6], void *frame);

static handler *const handlers[] = {
	[SYS_mmap] = memphis_map_call_mmap,     [SYS_munmap] = memphis_map_call_munmap,
	[SYS_mremap] = memphis_map_call_mremap, [SYS_shmat] = memphis_map_call_shmat,
	[SYS_shmdt] = memphis_map_call_shmdt,   [SYS_brk] = memphis_map_call_brk,
};

static __attribute__((noinline)) long handle(long number, long a, long b, long c, long d, long e, long f)
{
	const long arguments[6] = {a, b, c, d, e, f};

	return handlers[number](arguments, __builtin_frame_address(0));
}

/*
 * On x86-64, a function with seven arguments finds those of a variadic call at the same places; arguments that the caller did not pass have
 * any value, as in the C library's function. Its C name differs, since headers declare syscall() as variadic. Both calls are jumps: the
 * next function returns to the program, which matters for vfork(2) and clone(2).
 */
__attribute__((visibility("default"))) long memphis_syscall(long number, long a, long b, long c, long d,
							    long e,
							    long f) __asm__(NAME(MEMPHIS_ENTRY(syscall)));

long memphis_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	if (unlikely((unsigned long)number < ARRAY_SIZE(handlers) && handlers[number]))
		return handle(number, a, b, c, d, e, f);
	return memphis_next.syscall(number, a, b, c, d, e, f);
}
