// SPDX-License-Identifier: BSD-3-Clause
/*
 * An OpenMP team; valid as C++, too. usage: team one|each|nested
 * one     main's caliper is the only one
 * each    each thread has a caliper of its own, too
 * nested  as each, in a team of 2 threads that each create a team of 2: worker 2i+1 is created by worker 2i
 */
#include "work.h"

#include <memphis.h>

#include <omp.h>
#include <string.h>

static void share(int worker, int each)
{
	work_note(worker);
	if (each)
		memphis_begin("Own");
	work_share(worker);
	if (each)
		memphis_end("Own");
}

static void nest(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		int outer = 2 * omp_get_thread_num();

		/*
		 * The library does not query numbers in an inner team, so each thread opens a caliper in
		 * the outer team first.
		 */
		memphis_begin("Outer");
#pragma omp parallel num_threads(2)
		share(outer + omp_get_thread_num(), 1);
		memphis_end("Outer");
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "one";

	if (memphis_begin("All"))
		return 1;
	if (!strcmp(how, "nested")) {
		nest();
	} else {
#pragma omp parallel num_threads(WORKERS)
		share(omp_get_thread_num(), !strcmp(how, "each"));
	}
	if (memphis_end("All"))
		return 2;
	work_print("team", WORKERS);
	return 5;
}
