/* SPDX-License-Identifier: BSD-3-Clause */
/* One perf event of a thread. */
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/fd.h"
#include "backend/perf_event.h"
#include "base/sys.h"

/*
 * Maximum number of attempts to read the heads of several buffers at the same moment. Records come at
 * intervals of microseconds or more.
 */
#define HEADS_TRIES 1000

int memphis_perf_event_call(const struct perf_event_attr *attr, pid_t tid, int leader)
{
	long fd = syscall(SYS_perf_event_open, attr, tid, -1, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

bool memphis_perf_event_is_ours(const struct memphis_perf_event *event)
{
	__u64 id;

	return !ioctl(event->fd, PERF_EVENT_IOC_ID, &id) && id == event->id;
}

static int map_buffer(struct memphis_perf_event *event, size_t data_bytes)
{
	int err;

	event->page =
		sys_map_file(event->fd, MEMPHIS_PAGE_BYTES + data_bytes, PROT_READ | PROT_WRITE, 0, &err);
	event->data_bytes = data_bytes;
	return err;
}

int memphis_perf_event_open(struct memphis_perf_event *event, const struct perf_event_attr *attr, pid_t tid,
			    int leader, size_t data_bytes)
{
	struct rlimit before;
	int fd, err;

	memset(event, 0, sizeof(*event));
	memphis_fd_raise(&before);
	fd = memphis_perf_event_call(attr, tid, leader);
	memphis_fd_restore(&before);
	if (fd < 0)
		return fd;
	event->fd = memphis_fd_move(fd);
	/*
	 * The number was not moved, so the library's range is full. There are so many events that they would
	 * take all numbers of the program.
	 */
	if (event->fd == fd) {
		close(fd);
		return -EMFILE;
	}
	err = ioctl(event->fd, PERF_EVENT_IOC_ID, &event->id) ? -errno : map_buffer(event, data_bytes);
	if (err)
		close(event->fd);
	return err;
}

void memphis_perf_event_close(struct memphis_perf_event *event)
{
	if (!event->page)
		return;
	sys_unmap_file(event->page, MEMPHIS_PAGE_BYTES + event->data_bytes);
	event->page = NULL;
	memphis_perf_event_forked(event);
}

void memphis_perf_event_forked(struct memphis_perf_event *event)
{
	if (memphis_perf_event_is_ours(event))
		close(event->fd);
}

int memphis_perf_event_switch(const struct memphis_perf_event *event, bool on)
{
	if (!memphis_perf_event_is_ours(event))
		return -EBADF;
	return ioctl(event->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}

struct memphis_perf_readout memphis_perf_event_read(struct memphis_perf_event *event)
{
	struct memphis_perf_readout now = {0};
	int saved = errno;

	if (memphis_perf_event_is_ours(event) && read(event->fd, &now, sizeof(now)) > 0)
		event->last = now;
	errno = saved;
	return event->last;
}

__u64 memphis_perf_event_lost(struct memphis_perf_event *event)
{
	__u64 lost = memphis_perf_event_read(event).lost - event->lost;

	event->lost += lost;
	return lost;
}

bool memphis_perf_event_has_ended(const struct memphis_perf_event *event)
{
	struct pollfd hangup = {.fd = event->fd};

	return memphis_perf_event_is_ours(event) && poll(&hangup, 1, 0) > 0 && (hangup.revents & POLLHUP);
}

void memphis_perf_event_heads(struct memphis_perf_event *events, unsigned int count)
{
	unsigned int i, tries;
	bool changed = true;

	for (tries = 0; changed && tries < HEADS_TRIES; tries++) {
		changed = false;
		for (i = 0; i < count; i++) {
			__u64 head = __atomic_load_n(&events[i].page->data_head, __ATOMIC_ACQUIRE);

			changed |= head != events[i].head;
			events[i].head = head;
		}
	}
}

const struct perf_event_header *memphis_perf_event_record(const struct memphis_perf_event *event, char *copy)
{
	const char *data = (const char *)event->page + MEMPHIS_PAGE_BYTES;
	const size_t offset = event->tail & (event->data_bytes - 1), rest = event->data_bytes - offset;
	const struct perf_event_header *header = (const void *)(data + offset);

	if (event->tail >= event->head || !header->size)
		return NULL;
	if (header->size <= rest || header->size > MEMPHIS_PERF_RECORD_BYTES_MAX)
		return header;
	memcpy(copy, data + offset, rest);
	memcpy(copy + rest, data, header->size - rest);
	return (const void *)copy;
}

void memphis_perf_event_release(const struct memphis_perf_event *event)
{
	__atomic_store_n(&event->page->data_tail, event->tail, __ATOMIC_RELEASE);
}
