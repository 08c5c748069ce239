// SPDX-License-Identifier: BSD-3-Clause
/* The `key value` lines of SETTINGS, THREAD and LOSSES; a later line wins. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"

static int set(struct memphis_settings *settings, struct memphis_span key, char *value)
{
	struct memphis_setting *setting;
	size_t i;

	for (i = 0; i < settings->count; i++) {
		if (!memphis_span_is(key, settings->list[i].key))
			continue;
		free(settings->list[i].value);
		settings->list[i].value = value;
		return 0;
	}
	setting = memphis_append(settings->list, settings->count, settings->room);
	if (!setting)
		return -ENOMEM;
	setting->key = strndup(key.text, key.bytes);
	if (!setting->key) {
		settings->count--;
		return -ENOMEM;
	}
	setting->value = value;
	return 0;
}

int memphis_settings_add(struct memphis_settings *settings, struct memphis_span payload)
{
	struct memphis_span line, key;
	char *value;

	while (memphis_next_line(&payload, &line)) {
		if (!memphis_next_field(&line, &key) || !key.bytes)
			continue;
		value = memphis_span_unescape(line);
		if (!value || set(settings, key, value)) {
			free(value);
			return -ENOMEM;
		}
	}
	return 0;
}

void memphis_settings_close(struct memphis_settings *settings)
{
	size_t i;

	for (i = 0; i < settings->count; i++) {
		free(settings->list[i].key);
		free(settings->list[i].value);
	}
	free(settings->list);
	memset(settings, 0, sizeof(*settings));
}

const char *memphis_setting(const struct memphis_settings *settings, const char *key)
{
	size_t i;

	for (i = 0; i < settings->count; i++)
		if (!strcmp(settings->list[i].key, key))
			return settings->list[i].value;
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
