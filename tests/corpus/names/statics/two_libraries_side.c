// SPDX-License-Identifier: BSD-3-Clause
#include "corpus.h"

#define TEXT(name) #name
#define OF(name)   TEXT(name)

static double buffer[COUNT];
static double table[COUNT] = {1};

void SIDE(void)
{
	TRUTH(buffer, BYTES, "buffer #" OF(SIDE));
	TRUTH(table, BYTES, "table #" OF(SIDE));
}
