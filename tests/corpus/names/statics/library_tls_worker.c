// SPDX-License-Identifier: BSD-3-Clause
#include "corpus.h"

#define TEXT(name) #name
#define OF(name)   TEXT(name)

static __thread double work[COUNT];

void NAME(void)
{
	work[0] = 1;
	TRUTH(work, BYTES, "work #" OF(NAME));
}
