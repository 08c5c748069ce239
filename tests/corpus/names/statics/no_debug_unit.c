// SPDX-License-Identifier: BSD-3-Clause
/* A unit without debug information defines what another one declares. */
/* corpus: library fields no_debug_unit_other.c -g0 */
#include "corpus.h"

extern double field[COUNT];
void other(void);

int main(void)
{
	TRUTH(field, BYTES, "field");
	other();
	return 0;
}
