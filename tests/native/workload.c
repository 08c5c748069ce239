// SPDX-License-Identifier: BSD-3-Clause
/*
 * libworkload.so for native runs: the functions of tests/workloads/common/workload.h, which are used as they are, but the memory that a
 * workload prints is also watched if it has a whole page, and its CPUs are those of the machine that native.h describes.
 */
#define workload_cpu      workload_bind
#define workload_objects  workload_print_objects
#define workload_variable workload_print
#include "../workloads/common/workload.c"
#undef workload_cpu
#undef workload_objects
#undef workload_variable

#include "native.h"

void workload_cpu(int cpu)
{
	native_cpu(cpu);
}

void workload_variable(const char *mark, const void *start, size_t bytes)
{
	workload_print(mark, start, bytes);
	if (((uintptr_t)start + 4095) / 4096 < ((uintptr_t)start + bytes) / 4096)
		native_watch(start, bytes, mark);
}

/* Programs call this before their loops. */
void workload_objects(void)
{
	workload_print_objects();
	native_round();
}
