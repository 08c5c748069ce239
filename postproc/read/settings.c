// SPDX-License-Identifier: BSD-3-Clause
/*
 * Settings: the `key value` lines of SETTINGS, THREAD and LOSSES chunks. If a key is repeated, the last line
 * counts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read/process.h"

bool memphis_settings_next(const struct memphis_settings *settings, const char **key, const char **value)
{
	*key = *key ? *value + strlen(*value) + 1 : settings->text;
	if (!settings->bytes || *key == settings->text + settings->bytes)
		return false;
	*value = *key + strlen(*key) + 1;
	return true;
}

/*
 * Replaces the `old` bytes at offset `at` by room for `bytes` bytes. Returns the address of this room, or
 * NULL if memory is exhausted.
 */
static char *make_room(struct memphis_settings *settings, size_t at, size_t old, size_t bytes)
{
	const size_t behind = settings->bytes - at - old;
	char *text = settings->text;

	if (bytes > old) {
		text = realloc(text, settings->bytes + bytes - old);
		if (!text)
			return NULL;
		settings->text = text;
	}
	memmove(text + at + bytes, text + at + old, behind);
	settings->bytes = at + bytes + behind;
	return text + at;
}

static int set(struct memphis_settings *settings, struct memphis_span key, const char *value)
{
	const size_t value_bytes = strlen(value) + 1;
	const char *known = NULL, *before;
	char *at;

	while (memphis_settings_next(settings, &known, &before)) {
		if (!memphis_span_is(key, known))
			continue;
		at = make_room(settings, (size_t)(before - settings->text), strlen(before) + 1, value_bytes);
		if (at)
			memcpy(at, value, value_bytes);
		return at ? 0 : -ENOMEM;
	}
	at = make_room(settings, settings->bytes, 0, key.bytes + 1 + value_bytes);
	if (!at)
		return -ENOMEM;
	memcpy(at, key.text, key.bytes);
	at[key.bytes] = 0;
	memcpy(at + key.bytes + 1, value, value_bytes);
	settings->count++;
	return 0;
}

int memphis_settings_add(struct memphis_settings *settings, struct memphis_span payload)
{
	struct memphis_span line, key;
	char *value;
	int rc = 0;

	while (!rc && memphis_next_line(&payload, &line)) {
		if (!memphis_next_field(&line, &key))
			continue;
		/* Cut the key at a NUL, which only damaged files contain. */
		key.bytes = strnlen(key.text, key.bytes);
		if (!key.bytes)
			continue;
		value = memphis_span_unescape(line);
		rc = value ? set(settings, key, value) : -ENOMEM;
		free(value);
	}
	return rc;
}

void memphis_settings_close(struct memphis_settings *settings)
{
	free(settings->text);
	memset(settings, 0, sizeof(*settings));
}

const char *memphis_setting(const struct memphis_settings *settings, const char *key)
{
	const char *known = NULL, *value;

	while (memphis_settings_next(settings, &known, &value))
		if (!strcmp(known, key))
			return value;
	return NULL;
}

uint64_t memphis_setting_number(const struct memphis_settings *settings, const char *key, uint64_t otherwise)
{
	const char *text = memphis_setting(settings, key);
	uint64_t value;

	if (!text || !memphis_span_number((struct memphis_span){text, strlen(text)}, false, &value))
		return otherwise;
	return value;
}

bool memphis_process_has_executed(const struct memphis_process *process)
{
	return memphis_setting_number(&process->settings, "exec_time_ns", 0) != 0;
}
