// SPDX-License-Identifier: BSD-3-Clause
/*
 * The workload of all sides of the comparison.
 * usage: workload CHAIN MILLIONS-OF-LOADS [PERIOD]     CHAIN: see chase.h; PERIOD: have the module driver_alone take samples
 */
#include "chase.h"

static void sample_by_driver_alone(const char *period)
{
	FILE *file = fopen("/sys/module/driver_alone/parameters/sample", "w");

	if (!file || fputs(period, file) < 0 || fclose(file)) {
		perror("workload: driver_alone");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	void **at;

	if (argc < 3)
		return 2;
	at = chase_begin(argv[1]);
	if (argc > 3)
		sample_by_driver_alone(argv[3]);
	return !chase(at, strtoull(argv[2], NULL, 10) * 1000000);
}
