// SPDX-License-Identifier: BSD-3-Clause
/* Memory that is mapped: private, shared, and of a file. */
#define _GNU_SOURCE
#include "corpus.h"

#include <sys/mman.h>
#include <unistd.h>

static double *window;

int main(void)
{
	int file = memfd_create("corpus", 0);
	double *scratch = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0); /* site: scratch */
	double *input;

	if (ftruncate(file, BYTES))
		return 1;
	window = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);                                                       /* site: window */
	input = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0); /* site: input */
	if (scratch == MAP_FAILED || window == MAP_FAILED || input == MAP_FAILED)
		return 1;
	scratch[0] = window[0] = input[0] = 1;
	TRUTH(scratch, BYTES, "scratch");
	TRUTH(window, BYTES, "window");
	TRUTH(input, BYTES, "input");
	return 0;
}
