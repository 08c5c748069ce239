/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks a thread as busy with the library's own work. */
#include "base/busy.h"

__thread int memphis_busy __attribute__((tls_model("initial-exec")));
