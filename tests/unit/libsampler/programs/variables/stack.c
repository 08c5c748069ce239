/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Local variables in frames that exist while a caliper is open: of main, of its callees, of a function that opens its caliper in a
 * wrapper, in a block, in an inlined function, and over-aligned. One is sampled by another thread. Variables of functions that
 * are called inside the caliper, or have returned, have no name.
 */
#include <pthread.h>
#include <string.h>

#include <memphis.h>

#include "variables.h"

struct cell {
	double t, s;
	int faces[4];
};

static void escape(void *pointer)
{
	__asm__ volatile("" : : "r"(pointer) : "memory");
}

/* The frame of this function no longer exists when the samples are taken. */
__attribute__((noinline)) static int open_caliper(const char *name)
{
	char copy[64];

	strcpy(copy, name);
	escape(copy);
	return memphis_begin(copy);
}

__attribute__((noinline)) static void deeper(void)
{
	double temporary[32];

	escape(temporary);
	idle_sample(&temporary[3]);
}

static void *work(void *shared)
{
	double *field = shared;

	idle_sample(&field[70]);
	return NULL;
}

__attribute__((always_inline)) static inline int solve(double *field)
{
	double inner[40];
	int err;

	escape(inner);
	err = memphis_begin("solve");
	idle_sample(&inner[4]);
	idle_sample(&field[5]);
	return err | memphis_end("solve");
}

__attribute__((noinline)) static int step(double *field, int n)
{
	double residual[100];
	struct cell cells[7];
	int err = 0;

	escape(residual);
	escape(cells);
	if (n > 1) {
		double block[50];

		escape(block);
		err |= memphis_begin("block");
		idle_sample(&block[9]);
		err |= memphis_end("block");
	}
	err |= open_caliper("step");
	idle_sample(&residual[99]);
	idle_sample(&cells[2].faces[1]);
	idle_sample(&field[60]);
	deeper();
	return err | memphis_end("step");
}

__attribute__((noinline)) static int aligned(void)
{
	double wide[64] __attribute__((aligned(64)));
	int err;

	escape(wide);
	err = memphis_begin("aligned");
	idle_sample(&wide[63]);
	return err | memphis_end("aligned");
}

/* The address of an array of variable size is known at run time only, so it gets no name. */
__attribute__((noinline)) static int variable(int n)
{
	double sized[n];
	int err;

	escape(sized);
	err = memphis_begin("variable");
	idle_sample(&sized[n / 2]);
	return err | memphis_end("variable");
}

int main(int argc, char **argv)
{
	double field[200];
	pthread_t thread;
	int err = 0, i;

	(void)argv;
	escape(field);
	for (i = 0; i < 3; i++)
		err |= step(field, argc + 1);
	err |= solve(field);
	err |= aligned();
	err |= variable(argc * 100);
	err |= memphis_begin("threads");
	err |= pthread_create(&thread, NULL, work, field);
	err |= pthread_join(thread, NULL);
	err |= memphis_end("threads");
	return err ? 1 : 0;
}
