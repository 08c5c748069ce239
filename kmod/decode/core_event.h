/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Decides which events of a core's PMU users may count. The module and the library share this rule. The code
 * uses no kernel services.
 */
#ifndef MEMPHIS_CORE_EVENT_H
#define MEMPHIS_CORE_EVENT_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <linux/types.h>
#endif

/*
 * Returns true if users may count an event. Allowed are the kernel's named events of the core, and raw events
 * that consist only of code, umask, edge, inv and cmask. Events that count what other cores do are not
 * allowed.
 *
 * `type` and `config` are the members of struct perf_event_attr. `intel` is true for a PMU of Intel, and
 * false for one of AMD. `family` is the one in struct memphis_cpu_part.
 */
bool memphis_core_event_is_allowed(__u32 type, __u64 config, bool intel, unsigned int family);

#endif
