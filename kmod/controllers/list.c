// SPDX-License-Identifier: GPL-2.0-only
/* Parses the list of events that root writes to the module parameter controllers. */
#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/string.h>
#else
#include <errno.h>
#include <string.h>
#endif
#include <linux/perf_event.h>

#include "controllers/list.h"

#define U32_LARGEST 0xffffffffull
#define S32_LARGEST 0x7fffffffull

static int memphis_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *memphis_skip_blanks(const char *at)
{
	while (memphis_is_blank(*at))
		at++;
	return at;
}

static int memphis_digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	return 16;
}

/* Parses a number, which is decimal, or hexadecimal with the prefix 0x. Moves *at behind the number. Returns 0 or -EINVAL. */
static int memphis_take_number(const char **at, __u64 largest, __u64 *value)
{
	unsigned int base = 10;
	const char *first;
	__u64 digit;

	if ((*at)[0] == '0' && (*at)[1] == 'x') {
		base = 16;
		*at += 2;
	}
	*value = 0;
	for (first = *at; (digit = memphis_digit_value(**at)) < base; ++*at) {
		if (digit > largest || *value > (largest - digit) / base)
			return -EINVAL;
		*value = *value * base + digit;
	}
	return *at == first ? -EINVAL : 0;
}

/* Skips blanks, parses a number like memphis_take_number(), and requires a blank after it. */
static int memphis_take_field(const char **at, __u64 largest, __u64 *value)
{
	int error;

	*at = memphis_skip_blanks(*at);
	error = memphis_take_number(at, largest, value);
	return error || memphis_is_blank(**at) ? error : -EINVAL;
}

static int memphis_take_kind(const char **at, __u32 *kind)
{
	static const char *const kinds[] = {
		[MEMPHIS_CONTROLLER_READ] = "read",
		[MEMPHIS_CONTROLLER_WRITE] = "write",
	};
	size_t length;
	__u32 i;

	*at = memphis_skip_blanks(*at);
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		length = strlen(kinds[i]);
		if (strncmp(*at, kinds[i], length) || !memphis_is_blank((*at)[length]))
			continue;
		*at += length;
		*kind = i;
		return 0;
	}
	return -EINVAL;
}

static int memphis_take_place(const char **at, __u32 *cpu, __s32 *node)
{
	__u64 value;

	if (memphis_take_number(at, U32_LARGEST, &value) || *(*at)++ != ':')
		return -EINVAL;
	*cpu = value;
	if (!strncmp(*at, "-1", 2)) {
		*at += 2;
		*node = -1;
		return 0;
	}
	if (memphis_take_number(at, S32_LARGEST, &value))
		return -EINVAL;
	*node = value;
	return 0;
}

static size_t memphis_line_length(const char *at)
{
	return strcspn(at, ";\n");
}

/* Copies the rest of the line, without leading and trailing blanks. */
static int memphis_copy_name(char name[MEMPHIS_CONTROLLER_NAME_LENGTH], const char *at)
{
	size_t length = memphis_line_length(at);

	while (length && memphis_is_blank(at[length - 1]))
		length--;
	if (!length || length >= MEMPHIS_CONTROLLER_NAME_LENGTH)
		return -EINVAL;
	memcpy(name, at, length);
	return 0;
}

/* Returns the index of the entry. If the entry does not exist yet, it is added. */
static int memphis_find_entry(struct memphis_controller_list *list, const struct memphis_controller *like)
{
	struct memphis_controller *entry;
	__u32 i;

	for (i = 0; i < list->entry_count; i++) {
		entry = &list->entries[i];
		if (entry->node == like->node && entry->kind == like->kind &&
		    !strcmp(entry->name, like->name))
			return i;
	}
	if (i == MEMPHIS_CONTROLLERS_MAX)
		return -E2BIG;
	list->entries[list->entry_count++] = *like;
	return i;
}

static int memphis_add_event(struct memphis_controller_list *list,
			     const struct memphis_controller_event *event,
			     const struct memphis_controller *like)
{
	int entry = memphis_find_entry(list, like);

	if (entry < 0 || list->event_count == MEMPHIS_CONTROLLER_EVENTS_MAX)
		return -E2BIG;
	list->events[list->event_count] = *event;
	list->events[list->event_count++].entry = entry;
	return 0;
}

static int memphis_parse_event(struct memphis_controller_list *list, const char *at)
{
	struct memphis_controller_event event = {};
	struct memphis_controller like = {};
	const char *places;
	__u64 bytes, type;
	int error;

	if (memphis_take_kind(&at, &like.kind) || memphis_take_field(&at, U32_LARGEST, &bytes) ||
	    memphis_take_field(&at, U32_LARGEST, &type) || memphis_take_field(&at, ~0ull, &event.config[0]) ||
	    memphis_take_field(&at, ~0ull, &event.config[1]) ||
	    memphis_take_field(&at, ~0ull, &event.config[2]))
		return -EINVAL;
	/* Types below PERF_TYPE_MAX are events of cores or of software. None of them counts accesses of a memory controller. */
	if (!bytes || type < PERF_TYPE_MAX)
		return -EINVAL;
	event.bytes = bytes;
	event.type = type;
	places = memphis_skip_blanks(at);
	at = places + strcspn(places, " \t;\n");
	if (memphis_copy_name(like.name, memphis_skip_blanks(at)))
		return -EINVAL;
	do {
		if (memphis_take_place(&places, &event.cpu, &like.node))
			return -EINVAL;
		error = memphis_add_event(list, &event, &like);
		if (error)
			return error;
	} while (*places++ == ',');
	return places == at + 1 ? 0 : -EINVAL;
}

int memphis_controller_list_parse(struct memphis_controller_list *list, const char *text)
{
	size_t length;
	int error;

	for (; *text; text += length + !!text[length]) {
		length = memphis_line_length(text);
		if (memphis_skip_blanks(text) == text + length)
			continue;
		error = memphis_parse_event(list, text);
		if (error)
			return error;
	}
	return 0;
}
