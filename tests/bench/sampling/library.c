// SPDX-License-Identifier: BSD-3-Clause
#include "chase.h"
#include "library.h"

void **library_chase(void **at, uint64_t loads)
{
	return chase(at, loads);
}
