/* SPDX-License-Identifier: BSD-3-Clause */
/* One perf event of a thread: its descriptor, its buffer of records, and its counts. */
#ifndef MEMPHIS_PERF_EVENT_H
#define MEMPHIS_PERF_EVENT_H

#include <stdbool.h>
#include <sys/types.h>

#include <linux/perf_event.h>
#include <linux/types.h>

#include <memphis/device.h>

#define MEMPHIS_PERF_FIELDS_BYTES     512u /* more than all fields of a sample except its stack */
#define MEMPHIS_PERF_RECORD_BYTES_MAX (MEMPHIS_PERF_FIELDS_BYTES + MEMPHIS_STACK_BYTES_MAX)

/* The data that read(2) of an event returns; `lost` only if the kernel supports PERF_FORMAT_LOST. */
struct memphis_perf_readout {
	__u64 count, enabled, running, lost;
};

/*
 * If the program closes the descriptor, for example with closefrom(2), the mapped buffer keeps the event
 * alive. The event then stays enabled or disabled, and its further counts are unknown.
 */
struct memphis_perf_event {
	int fd;
	__u64 id; /* the event's id in perf, which shows whether the descriptor still refers to it */
	struct perf_event_mmap_page *page;
	size_t data_bytes; /* size of the buffer, without its first page; 0: the event counts only */
	__u64 head, tail;  /* records in [tail, head) of the buffer have not been read yet */
	struct memphis_perf_readout last;
	__u64 lost; /* the part of last.lost that memphis_perf_event_lost() has already returned */
};

/*
 * Opens an event of thread `tid` (0: the calling thread). `leader`: descriptor of the leader of the event's
 * group; -1: no group. Returns the descriptor or -errno.
 */
int memphis_perf_event_call(const struct perf_event_attr *attr, pid_t tid, int leader);

/*
 * Opens an event and maps a buffer of data_bytes, which is 0 or a power of two of at least a page. Returns 0,
 * -EPERM if the limit of locked memory forbids the buffer, -EMFILE if no number in the library's range of
 * descriptors is free, or another -errno.
 */
int memphis_perf_event_open(struct memphis_perf_event *event, const struct perf_event_attr *attr, pid_t tid,
			    int leader, size_t data_bytes);

/* Closes the event and unmaps its buffer. Does nothing if all members of the event are zero. */
void memphis_perf_event_close(struct memphis_perf_event *event);

/* Closes the descriptor in a child process, which does not inherit the buffer. */
void memphis_perf_event_forked(struct memphis_perf_event *event);

/* Returns true if the descriptor still refers to the event. Some programs close descriptors that they did not open. */
bool memphis_perf_event_is_ours(const struct memphis_perf_event *event);

/*
 * Enables or disables the event. Returns 0, -EBADF if the program has closed the descriptor, or another
 * -errno.
 */
int memphis_perf_event_switch(const struct memphis_perf_event *event, bool on);

/* Reads the counts of the event. If the program has closed the descriptor, returns the counts of the last reading. */
struct memphis_perf_readout memphis_perf_event_read(struct memphis_perf_event *event);

/* Returns the number of records that perf has lost since the last call. */
__u64 memphis_perf_event_lost(struct memphis_perf_event *event);

/* Returns true if the event's thread has ended. */
bool memphis_perf_event_has_ended(const struct memphis_perf_event *event);

/*
 * Sets the `head` of all events to the same moment: each record up to the latest one is included. The kernel
 * writes the records one after the other, because all events belong to one thread.
 */
void memphis_perf_event_heads(struct memphis_perf_event *events, unsigned int count);

/*
 * Returns the record at `tail` as contiguous memory, or NULL if there is none. A record that wraps around the
 * end of the buffer is copied to `copy` (MEMPHIS_PERF_RECORD_BYTES_MAX bytes, 8-byte aligned).
 */
const struct perf_event_header *memphis_perf_event_record(const struct memphis_perf_event *event, char *copy);

/* Gives the part of the buffer before `tail` back to the kernel. */
void memphis_perf_event_release(const struct memphis_perf_event *event);

#endif
