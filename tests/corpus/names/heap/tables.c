// SPDX-License-Identifier: BSD-3-Clause
/* Tables of pointers that are initialised where they are declared. */
#include "corpus.h"

int main(void)
{
	double *local[] = {malloc(BYTES), malloc(BYTES)}; /* site: local[] */

	TRUTH(local[0], BYTES, "local[]|local[0]");
	TRUTH(local[1], BYTES, "local[]|local[1]");
	return 0;
}
