// SPDX-License-Identifier: BSD-3-Clause
/* A variable that branches allocate on different lines, and one that is replaced by a larger block. */
#include "corpus.h"

int main(int argc, char **argv)
{
	double *chosen, *grown = malloc(BYTES / 2), *larger;

	(void)argv;
	if (argc > 1)
		chosen = malloc(BYTES); /* site: chosen */
	else
		chosen = calloc(1, BYTES); /* site: chosen */
	larger = malloc(BYTES);            /* site: grown */
	corpus_use(grown);
	free(grown);
	grown = larger;
	TRUTH(chosen, BYTES, "chosen");
	TRUTH(grown, BYTES, "grown|larger");
	return 0;
}
