// SPDX-License-Identifier: BSD-3-Clause
#include "corpus.h"

#define TEXT(name) #name
#define OF(name)   TEXT(name)

static double state[COUNT];

void run(void)
{
	TRUTH(state, BYTES, "state #" OF(PART));
}
