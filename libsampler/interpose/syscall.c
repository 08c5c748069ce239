/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposition of syscall(2). The library must see some system calls even if the program, or a hook of
 * another library, makes them without the C library's functions. Async-signal-safe if the handler is.
 */
#include "interpose/next_symbols.h"
#include "interpose/syscall.h"

#define QUOTED(name) #name
#define NAME(entry)  QUOTED(entry)

#define NUMBERS 447 /* calls with this number or a higher one have no handler */
static __attribute__((used)) memphis_syscall_handler *const handlers[NUMBERS] = {
	[SYS_mmap] = memphis_map_call_mmap,
	[SYS_munmap] = memphis_map_call_munmap,
	[SYS_mremap] = memphis_map_call_mremap,
	[SYS_shmat] = memphis_map_call_shmat,
	[SYS_shmdt] = memphis_map_call_shmdt,
	[SYS_brk] = memphis_map_call_brk,
	[SYS_execve] = memphis_exec_call,
	[SYS_execveat] = memphis_exec_call,
	[SYS_exit_group] = memphis_exec_call_exit_group,
	[SYS_wait4] = memphis_wait_call_wait4,
	[SYS_waitid] = memphis_wait_call_waitid,
	[SYS_setuid] = memphis_credentials_call,
	[SYS_setgid] = memphis_credentials_call,
	[SYS_setreuid] = memphis_credentials_call,
	[SYS_setregid] = memphis_credentials_call,
	[SYS_setgroups] = memphis_credentials_call,
	[SYS_setresuid] = memphis_credentials_call,
	[SYS_setresgid] = memphis_credentials_call,
	[SYS_setfsuid] = memphis_credentials_call,
	[SYS_setfsgid] = memphis_credentials_call,
	[SYS_capset] = memphis_credentials_call,
	[SYS_prctl] = memphis_credentials_call,
	[SYS_seccomp] = memphis_credentials_call,
	[SYS_landlock_restrict_self] = memphis_credentials_call,
};

/*
 * Calls the handler. syscall() jumps here, so that the frame of this function follows the return address to
 * the program. The sixth argument of the system call is the word after that address. If the call has fewer
 * arguments, that word may be a variable of the program's function, so it must not be written.
 */
static __attribute__((used, noinline)) long handle(long number, long a, long b, long c, long d, long e)
{
	const long *frame = __builtin_frame_address(0);
	const long arguments[6] = {a, b, c, d, e, frame[2]};

	return handlers[number](number, arguments, (void *)frame);
}

/*
 * Changes neither the stack nor a register that passes an argument. The following call therefore finds
 * everything as the program left it, and returns directly to the program. This matters for vfork(2) and
 * clone(2).
 */
#ifdef MEMPHIS_ARCHIVE
__attribute__((naked)) long memphis_syscall(long number, ...) __asm__(NAME(MEMPHIS_ENTRY(syscall)));
#else
__attribute__((naked, visibility("default"))) long memphis_syscall(long number, ...);
/* Binds the symbol to a version, as in interpose/map.c. */
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
