// SPDX-License-Identifier: BSD-3-Clause
/*
 * Samples itself at the shortest period, with the largest copies of stacks, from memory that no cache holds: the longest interrupts that
 * a user can make. usage: rate
 */
#define _GNU_SOURCE
#include "session.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define FAR    (64u << 20) /* bytes of which each copy is another part */
#define ROUNDS 100000u

/* Makes some loads while the stack pointer has the value `sp`. No signal arrives meanwhile, so that nothing uses the stack. */
static __attribute__((noinline)) void load_with_sp(uint64_t sp, const uint64_t *data)
{
	uint64_t loads = 256;

	asm volatile("mov %%rsp, %%r12\n"
		     "mov %[sp], %%rsp\n"
		     "1: mov (%[data], %[loads], 8), %%rax\n"
		     "dec %[loads]\n"
		     "jnz 1b\n"
		     "mov %%r12, %%rsp\n"
		     : [loads] "+r"(loads)
		     : [sp] "r"(sp), [data] "r"(data)
		     : "rax", "r12", "memory", "cc");
}

int main(void)
{
	static uint64_t data[512];
	struct memphis_config config = some_config();
	char *far = mmap(NULL, FAR, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct memphis_accounting books;
	struct thread_map map;
	int fd = open_device();

	need(far != MAP_FAILED, "memory");
	memset(far, 1, FAR);
	config.period = hardware()->period_min;
	config.ring_records = config.wakeup_records = 1024;
	config.stack_bytes = MEMPHIS_STACK_BYTES_MAX;
	config.stack_records = 1024;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	for (uint64_t i = 0; i < ROUNDS; i++) {
		load_with_sp((uintptr_t)far + i * MEMPHIS_STACK_BYTES_MAX % (FAR - MEMPHIS_STACK_BYTES_MAX),
			     data);
		map.control->tail = map.status->head;
		map.control->stack_tail = map.status->stack_head;
	}
	need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
	books = read_books(&map);
	printf("# %llu interrupts, %llu stacks, %llu times throttled\n", books.interrupts,
	       map.status->stack_head, books.throttled);
	check("rate: many stacks are copied", map.status->stack_head > 300);
	unmap(&map);
	close_device(fd);
	return 0;
}
