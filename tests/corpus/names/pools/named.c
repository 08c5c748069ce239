// SPDX-License-Identifier: BSD-3-Clause
/* Memory that the program names itself, and parts of a pool that it reports. */
/* corpus: flags -L$L -Wl,-rpath,$L */
/* corpus: units -lmemphis */
#include "corpus.h"

#include <memphis.h>

int main(void)
{
	char *block = malloc(4 * BYTES); /* site: block */
	double *part;

	memphis_name(block, BYTES, "humidity");
	TRUTH(block, BYTES, "humidity");
	TRUTH(block + 2 * BYTES, BYTES, "block");
	part = malloc(BYTES); /* site: part */
	TRUTH(part, BYTES, "part");
	return 0;
}
