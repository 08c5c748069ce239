// SPDX-License-Identifier: BSD-3-Clause
/*
 * What all sides of the comparison run.
 * usage: workload CHAIN MILLIONS-OF-LOADS [PERIOD]     CHAIN: see chase.h; PERIOD: sampled by the module driver_alone
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
