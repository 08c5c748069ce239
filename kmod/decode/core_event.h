/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Decides which events of a core's PMU users may count. The module and the library share the rule; the code uses no kernel services. */
#ifndef MEMPHIS_CORE_EVENT_H
#define MEMPHIS_CORE_EVENT_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <linux/types.h>
#endif

/*
 * `type` and `config` have the meaning that they have in struct perf_event_attr; `intel`: the PMU is one of Intel's, else of AMD's;
 * `family` is that of struct memphis_cpu_part. Returns true for the kernel's named events of the core, and for raw events that consist of
 * code, umask, edge, inv and cmask only; false for events that count what other cores do.
 */
bool memphis_core_event_is_allowed(__u32 type, __u64 config, bool intel, unsigned int family);

#endif
