/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposition of syscall(2): system calls that the library must know of, although the program, or a hook of another library, makes them
 * without the C library's functions. Async-signal-safe as far as the handlers are.
 */
#include "interpose/next_symbols.h"
#include "interpose/syscall.h"

#define QUOTED(name) #name
#define NAME(entry)  QUOTED(entry)

/* Makes the call and returns its result as syscall() does. `frame`: frame address of the library's function that the program called. */
typedef long handler(const long arguments[6], void *frame);

/* Handlers of calls that change what the caller may do; `is_noted`: those that the companions must know of. */
#define CREDENTIAL(name, is_noted)                                                           \
	static long call_##name(const long a[6], void *frame)                                \
	{                                                                                    \
		(void)frame;                                                                 \
		if (is_noted)                                                                \
			memphis_credentials_change(SYS_##name, a);                           \
		return memphis_next.syscall(SYS_##name, a[0], a[1], a[2], a[3], a[4], a[5]); \
	}
/* Other than the functions of the C library, these calls change only the calling thread. */
CREDENTIAL(setuid, memphis_is_first_thread())
CREDENTIAL(setgid, memphis_is_first_thread())
CREDENTIAL(setreuid, memphis_is_first_thread())
CREDENTIAL(setregid, memphis_is_first_thread())
CREDENTIAL(setgroups, memphis_is_first_thread())
CREDENTIAL(setresuid, memphis_is_first_thread())
CREDENTIAL(setresgid, memphis_is_first_thread())
CREDENTIAL(setfsuid, true)
CREDENTIAL(setfsgid, true)
CREDENTIAL(capset, true)
CREDENTIAL(prctl, true)
CREDENTIAL(seccomp, true)

static long call_landlock(const long a[6], UNUSED void *frame)
{
	memphis_credentials_change(MEMPHIS_SYS_LANDLOCK_RESTRICT_SELF, a);
	return memphis_next.syscall(MEMPHIS_SYS_LANDLOCK_RESTRICT_SELF, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#define NUMBERS 447 /* calls with higher numbers have no handlers */
static __attribute__((used)) handler *const handlers[NUMBERS] = {
	[SYS_mmap] = memphis_map_call_mmap,
	[SYS_munmap] = memphis_map_call_munmap,
	[SYS_mremap] = memphis_map_call_mremap,
	[SYS_shmat] = memphis_map_call_shmat,
	[SYS_shmdt] = memphis_map_call_shmdt,
	[SYS_brk] = memphis_map_call_brk,
	[SYS_execve] = memphis_exec_call_execve,
	[SYS_execveat] = memphis_exec_call_execveat,
	[SYS_exit_group] = memphis_exec_call_exit_group,
	[SYS_wait4] = memphis_wait_call_wait4,
	[SYS_waitid] = memphis_wait_call_waitid,
	[SYS_setuid] = call_setuid,
	[SYS_setgid] = call_setgid,
	[SYS_setreuid] = call_setreuid,
	[SYS_setregid] = call_setregid,
	[SYS_setgroups] = call_setgroups,
	[SYS_setresuid] = call_setresuid,
	[SYS_setresgid] = call_setresgid,
	[SYS_setfsuid] = call_setfsuid,
	[SYS_setfsgid] = call_setfsgid,
	[SYS_capset] = call_capset,
	[SYS_prctl] = call_prctl,
	[SYS_seccomp] = call_seccomp,
	[MEMPHIS_SYS_LANDLOCK_RESTRICT_SELF] = call_landlock,
};

/*
 * Entered by a jump from syscall(), so that its frame follows the return address to the program. The sixth argument of the system call is
 * above that address; it may as well be a variable of the program's function, which must not be written.
 */
static __attribute__((used, noinline)) long handle(long number, long a, long b, long c, long d, long e)
{
	const long *frame = __builtin_frame_address(0);
	const long arguments[6] = {a, b, c, d, e, frame[2]};

	return handlers[number](arguments, (void *)frame);
}

/*
 * Changes neither the stack nor a register that arguments are passed in: the call that follows finds everything as the program left it, and
 * returns to the program, which matters for vfork(2) and clone(2).
 */
#ifdef MEMPHIS_ARCHIVE
__attribute__((naked)) long memphis_syscall(long number, ...) __asm__(NAME(MEMPHIS_ENTRY(syscall)));
#else
__attribute__((naked, visibility("default"))) long memphis_syscall(long number, ...);
/* As the functions of interpose/map.c. */
__asm__(".symver memphis_syscall, syscall@GLIBC_2.2.5");
#endif

__attribute__((naked)) long memphis_syscall(long number __attribute__((unused)), ...)
{
	__asm__("cmp	%0, %%rdi\n\t"
		"jae	1f\n\t"
		"lea	handlers(%%rip), %%r11\n\t"
		"cmpq	$0, (%%r11, %%rdi, 8)\n\t"
		"jne	handle\n"
		"1:\n\t"
		"jmp	*memphis_next+%c1(%%rip)"
		:
		: "i"(NUMBERS), "i"(offsetof(struct memphis_next, syscall)));
}
