// SPDX-License-Identifier: BSD-3-Clause
/* A program at a fixed address with a copy of a library's array. */
/* corpus: flags -no-pie -fno-pie */
/* corpus: library fields fixed_address_fields.c */
#include "corpus.h"

extern double field[COUNT];
static double own[COUNT];

int main(void)
{
	TRUTH(field, BYTES, "field");
	TRUTH(own, BYTES, "own");
	return 0;
}
