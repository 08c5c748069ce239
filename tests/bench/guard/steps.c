// SPDX-License-Identifier: BSD-3-Clause
/*
 * Preloaded into the case study (examples/cice_halo), whose timers call omp_get_wtime() of Fortran: prints the instructions of the time steps after
 * the first ones, in which the library still finds files and variables for the first time. At both ends the program sleeps until all
 * samples are written. At the second end it sleeps until the library has searched for the holders of blocks, which it does one second after
 * its start, and not yet for the second time, after two seconds (HOLDERS_FIRST_NS in libsampler/record/drain.c). Prints "instructions N".
 */
#include <unistd.h>

#include "busy.h"

#define READS   20 /* of the clock in a step, the last one at its end; one more at the begin of the loop */
#define SKIPPED 2
#define STEPS   12
#define US \
	600000 /* so that the search is over: the steps and the other sleeps take 1.0 s, with many samples 1.2 s */

double omp_get_wtime_(void);

double omp_get_wtime_(void)
{
	static uint64_t instructions;
	static int reads;

	if (reads == READS * SKIPPED)
		instructions = busy_instructions();
	if (reads == READS * STEPS) {
		usleep(US);
		printf("instructions %" PRIu64 "\n", busy_instructions() - instructions);
	}
	fflush(stdout);
	reads++;
	return 0;
}
