// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "corpus.h"

namespace settings
{
inline double table[COUNT];

inline double *cache()
{
	static double block[COUNT];

	return block;
}
} // namespace settings
