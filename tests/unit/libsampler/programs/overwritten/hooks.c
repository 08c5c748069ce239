/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library that takes over the functions for maps as communication libraries do: it overwrites their code with a jump to functions of its
 * own, which make the system calls by syscall(); with -DDIRECT, by the instruction itself. The functions are those that references mean;
 * with -DLOOK_UP=RTLD_DEFAULT or RTLD_NEXT, those that dlsym() finds.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef DIRECT
static long call(long number, long a, long b, long c, long d, long e, long f)
{
	register long fourth __asm__("r10") = d, fifth __asm__("r8") = e, sixth __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
	if (number > -4096 && number < 0) {
		errno = (int)-number;
		return -1;
	}
	return number;
}
#define CALL(number, a, b, c, d, e, f) \
	call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#else
#define CALL(number, a, b, c, d, e, f) syscall(number, a, b, c, d, e, f)
#endif

/* Calls are counted, so that none is the last statement of its function, and becomes a jump; except with -DTAIL. */
#ifndef TAIL
static volatile int calls;
#define COUNT() (calls++)
#else
#define COUNT() ((void)0)
#endif
extern void *__curbrk;

static void *hook_mmap(void *hint, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	void *start = (void *)CALL(SYS_mmap, hint, bytes, protection, flags, fd, offset);

	COUNT();
	return start;
}

static int hook_munmap(void *start, size_t bytes)
{
	int err = (int)CALL(SYS_munmap, start, bytes, 0, 0, 0, 0);

	COUNT();
	return err;
}

static void *hook_mremap(void *start, size_t bytes, size_t new_bytes, int flags)
{
	void *moved = (void *)CALL(SYS_mremap, start, bytes, new_bytes, flags, 0, 0);

	COUNT();
	return moved;
}

static void *hook_shmat(int id, const void *address, int flags)
{
	void *start = (void *)CALL(SYS_shmat, id, address, flags, 0, 0, 0);

	COUNT();
	return start;
}

static int hook_shmdt(const void *start)
{
	int err = (int)CALL(SYS_shmdt, start, 0, 0, 0, 0, 0);

	COUNT();
	return err;
}

static int hook_brk(void *end)
{
	__curbrk = (void *)CALL(SYS_brk, end, 0, 0, 0, 0, 0);
	COUNT();
	return __curbrk < end ? -1 : 0;
}

/* movabs $hook, %r11; jmp *%r11 */
static void overwrite(char *code, const void *hook)
{
	unsigned char jump[13] = {0x49, 0xbb, [10] = 0x41, 0xff, 0xe3};
	char *page = (char *)((uintptr_t)code & ~4095ul);

	memcpy(jump + 2, &hook, sizeof(hook));
	if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
		abort();
	memcpy(code, jump, sizeof(jump));
	mprotect(page, 8192, PROT_READ | PROT_EXEC);
}

#ifdef LOOK_UP
#define CODE(name) dlsym(LOOK_UP, #name)
#else
#define CODE(name) (char *)name
#endif

void take_over(void)
{
	overwrite(CODE(mmap), hook_mmap);
	overwrite(CODE(munmap), hook_munmap);
	overwrite(CODE(mremap), hook_mremap);
	overwrite(CODE(shmat), hook_shmat);
	overwrite(CODE(shmdt), hook_shmdt);
	overwrite(CODE(brk), hook_brk);
}
