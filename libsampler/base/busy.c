/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks the library's own work in a thread. */
#include "base/busy.h"

__thread int memphis_busy __attribute__((tls_model("initial-exec")));
