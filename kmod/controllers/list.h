/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of events that root writes to the module parameter controllers. The code uses no kernel services.
 *
 * Each event is on its own line, or ends with a semicolon. Its fields are separated by blanks:
 *
 *   KIND BYTES TYPE CONFIG CONFIG1 CONFIG2 CPU:NODE[,CPU:NODE ...] NAME
 *   read 64 26 0x10a 0 0 0:0,8:1 amd_umc cas_read
 *
 * KIND is read or write. BYTES is the number of bytes for each count. TYPE, CONFIG, CONFIG1 and CONFIG2 are
 * the members of struct perf_event_attr. The event is opened on each CPU, and what it counts on this CPU
 * belongs to NODE, which is -1 if unknown. NAME is the rest of the line. Events with the same node and name
 * are added up.
 */
#ifndef MEMPHIS_CONTROLLERS_LIST_H
#define MEMPHIS_CONTROLLERS_LIST_H

#include <memphis/device.h>

#define MEMPHIS_CONTROLLER_EVENTS_MAX 512

struct memphis_controller_event {
	__u32 type;
	__u32 cpu;
	__u32 bytes; /* number of bytes for each count */
	__u32 entry; /* index of the entry to which the count is added */
	__u64 config[3];
};

struct memphis_controller_list {
	__u32 entry_count, event_count;
	struct memphis_controller entries[MEMPHIS_CONTROLLERS_MAX]; /* name, node and kind are set; all other
								     * members are 0 */
	struct memphis_controller_event events[MEMPHIS_CONTROLLER_EVENTS_MAX];
};

/**
 * memphis_controller_list_parse() - parses a list of events
 * @list: filled in; the caller has set it to zero
 * @text: the list
 *
 * Return: 0, -EINVAL if the text is malformed, or -E2BIG if there are more events or entries than fit.
 */
int memphis_controller_list_parse(struct memphis_controller_list *list, const char *text);

#endif
