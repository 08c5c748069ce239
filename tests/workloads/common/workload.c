// SPDX-License-Identifier: BSD-3-Clause
/*
 * Functions that all workloads share. They are built as a library of their own so that reports list that
 * object separately.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <link.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void workload_fail(const char *what)
{
	perror(what);
	exit(1);
}

void workload_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		workload_fail("sched_setaffinity");
}

void workload_variable(const char *mark, const void *start, size_t bytes)
{
	printf("variable %s %#zx %zu\n", mark, (uintptr_t)start, bytes);
	fflush(stdout);
}

static int print_object(struct dl_phdr_info *info, size_t size, void *context)
{
	static char program[4096];
	uintptr_t low = UINTPTR_MAX, high = 0;
	const ElfW(Phdr) * part;

	(void)size;
	(void)context;
	for (part = info->dlpi_phdr; part < info->dlpi_phdr + info->dlpi_phnum; part++) {
		if (part->p_type != PT_LOAD)
			continue;
		low = part->p_vaddr < low ? part->p_vaddr : low;
		high = part->p_vaddr + part->p_memsz > high ? part->p_vaddr + part->p_memsz : high;
	}
	if (!*info->dlpi_name && !realpath("/proc/self/exe", program))
		workload_fail("/proc/self/exe");
	printf("object %#zx %#zx %#zx %s\n", (size_t)info->dlpi_addr, (size_t)info->dlpi_addr + low,
	       (size_t)info->dlpi_addr + high, *info->dlpi_name ? info->dlpi_name : program);
	return 0;
}

void workload_objects(void)
{
	dl_iterate_phdr(print_object, NULL);
	fflush(stdout);
}

void workload_touch(void *memory, size_t bytes)
{
	memset(memory, 1, bytes);
}
