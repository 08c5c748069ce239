// SPDX-License-Identifier: BSD-3-Clause
/* Arrays in frames that exist while a caliper is open. */
/* corpus: flags -L$L -Wl,-rpath,$L */
/* corpus: units -lmemphis */
#include "corpus.h"

#include <memphis.h>

__attribute__((noinline)) static void relax(void)
{
	double column[COUNT], forcing[COUNT];

	corpus_use(column);
	corpus_use(forcing);
	memphis_begin("relax");
	TRUTH(column, BYTES, "relax::column");
	TRUTH(forcing, BYTES, "relax::forcing");
	memphis_end("relax");
}

int main(void)
{
	relax();
	return 0;
}
