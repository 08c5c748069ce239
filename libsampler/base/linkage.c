/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells whether the library is libmemphis.so or libmemphis.a; this file is compiled once for each. */
#include "base/linkage.h"

#ifdef MEMPHIS_ARCHIVE
const bool memphis_is_shared = false;
#else
const bool memphis_is_shared = true;
#endif
