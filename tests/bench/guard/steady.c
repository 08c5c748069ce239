// SPDX-License-Identifier: BSD-3-Clause
/*
 * Loads as in the comparison with perf (tests/bench/sampling/workload.c and calls.c), which the process itself counts while it is sampled: its
 * start and end are not counted. Two stretches of different length are counted alike, so that their difference has no constant parts.
 * usage: steady CHAIN SHORT LONG program|library [PERIOD]
 *   SHORT, LONG: millions of loads; the loads are made by the program or by a library; PERIOD: have the module driver_alone take samples
 * Prints "instructions N interrupts N total N idle N": of the long stretch, less those of the short one; interrupts of the whole process;
 * instructions in the seconds after the stretches in which the process sleeps.
 */
#include <string.h>

#include "busy.h"
#include "chase.h"
#include "delivered.h"
#include "library.h"

#define DEPTHS       8
#define LOADS        65536 /* of a call */
#define IDLE_SECONDS 30

struct counts {
	uint64_t instructions, interrupts;
};

static void sample_by_driver_alone(const char *period)
{
	FILE *file = fopen("/sys/module/driver_alone/parameters/sample", "w");

	if (!file || fputs(period, file) < 0 || fclose(file)) {
		perror("steady: driver_alone");
		exit(1);
	}
}

/* The assembly makes the call no jump, and the function no loop. */
static __attribute__((noinline)) void **call(void **at, unsigned int depth, int library)
{
	if (depth)
		at = call(at, depth - 1, library);
	else
		at = library ? library_chase(at, LOADS) : chase(at, LOADS);
	__asm__ volatile("" : "+r"(at));
	return at;
}

static struct counts count(void ***at, const char *millions, int library)
{
	const uint64_t calls = strtoull(millions, NULL, 10) * 1000000 / LOADS;
	struct counts counts;
	uint64_t i;

	counts.interrupts = delivered();
	counts.instructions = busy_instructions();
	for (i = 0; i < calls; i++)
		*at = call(*at, i % DEPTHS, library);
	counts.instructions = busy_instructions() - counts.instructions;
	counts.interrupts = delivered() - counts.interrupts;
	return counts;
}

int main(int argc, char **argv)
{
	const struct timespec seconds = {.tv_sec = IDLE_SECONDS};
	const uint64_t begun = delivered();
	struct counts of_short, of_long;
	uint64_t idle;
	int library;
	void **at;

	if (argc < 5)
		return 2;
	library = !strcmp(argv[4], "library");
	at = chase_begin(argv[1]);
	if (argc > 5)
		sample_by_driver_alone(argv[5]);
	count(&at, argv[2], library); /* what is done once, such as the growth of tables */
	of_short = count(&at, argv[2], library);
	of_long = count(&at, argv[3], library);
	idle = busy_instructions();
	nanosleep(&seconds, NULL);
	idle = busy_instructions() - idle;
	printf("instructions %" PRIu64 " interrupts %" PRIu64 " total %" PRIu64 " idle %" PRIu64 "\n",
	       of_long.instructions - of_short.instructions, of_long.interrupts - of_short.interrupts,
	       delivered() - begun, idle);
	return !at;
}
