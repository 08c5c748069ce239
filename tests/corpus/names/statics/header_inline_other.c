// SPDX-License-Identifier: BSD-3-Clause
#include "header_inline.h"

void other(void)
{
	TRUTH(counters(), BYTES, "counters::hits #other");
}
