/* SPDX-License-Identifier: BSD-3-Clause */
/* Process-wide flags: sampling is on; this process is a forked child that the library has not noticed yet. */
#include "core/hot.h"

struct memphis_hot memphis_hot __attribute__((aligned(4096)));
int memphis_hot_is_wiped;
