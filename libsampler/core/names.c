/* SPDX-License-Identifier: BSD-3-Clause */
/* Explicit names of blocks (memphis_name()), queued until the drain writes them to the files. */
#include <string.h>

#include "data/short_lived.h"
#include "core/names.h"
#include "core/session.h"

#define NAME_MAX_BYTES 255
#define NAMES_MAX      65536 /* capacity of the queue */

struct name {
	struct memphis_thread_record *thread; /* NULL: the drain has already removed the name */
	__u64 time_ns, address, bytes;
	char text[NAME_MAX_BYTES + 1];
};

/* Protects the queue, which consists of the variables down to `left_out`. */
static MEMPHIS_AT_FORK struct memphis_lock lock;
static struct name *names; /* NAMES_MAX entries; pages that are never used take no memory */
static size_t count, taken;
static __u64 left_out;

_Atomic __u64 memphis_names_given;

int memphis_names_add(const void *start, size_t bytes, const char *name, size_t length)
{
	struct memphis_thread_record *self;
	int state = memphis_session.state;
	struct name *slot;
	int err = 0;

	if (!start || !bytes)
		return -EINVAL;
	if (state == MEMPHIS_SESSION_DEAD || state == MEMPHIS_SESSION_CLOSED)
		return -ENODEV;
	self = memphis_thread_self();
	if (!self)
		return -ENOMEM;
	if (length > NAME_MAX_BYTES)
		length = NAME_MAX_BYTES;
	memphis_lock_take(&lock);
	if (!names)
		names = sys_map(NAMES_MAX * sizeof(*names));
	if (!names || count == NAMES_MAX) {
		left_out++;
		err = names ? -ENOSPC : -ENOMEM;
	} else {
		slot = &names[count++];
		slot->thread = self;
		slot->time_ns = now_ns();
		slot->address = (__u64)(uintptr_t)start;
		slot->bytes = bytes;
		memcpy(slot->text, name, length);
		slot->text[length] = '\0';
		atomic_fetch_add(&memphis_names_given, 1);
	}
	memphis_lock_release(&lock);
	return err;
}

void memphis_names_take(struct memphis_thread_record *thread, struct memphis_text_buffer *text)
{
	size_t i;

	memphis_lock_take(&lock);
	for (i = 0; i < count; i++) {
		struct name *name = &names[i];

		if (name->thread != thread)
			continue;
		memphis_text_add(text, "%llu 0x%llx %llu ", name->time_ns, name->address, name->bytes);
		memphis_text_add_value(text, name->text, strlen(name->text));
		name->thread = NULL;
		taken++;
	}
	if (taken == count)
		taken = count = 0;
	memphis_lock_release(&lock);
}

void memphis_names_touch(void)
{
	size_t i;

	memphis_lock_take(&lock);
	for (i = 0; i < count; i++)
		if (names[i].thread)
			memphis_short_lived_touch(names[i].address);
	memphis_lock_release(&lock);
}

__u64 memphis_names_left_out(void)
{
	return __atomic_load_n(&left_out, __ATOMIC_RELAXED);
}

void memphis_names_forked(void)
{
	memphis_lock_reset(&lock);
}
