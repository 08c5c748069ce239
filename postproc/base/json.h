/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes JSON: commas, quotes and nesting are looked after here. */
#ifndef MEMPHIS_JSON_H
#define MEMPHIS_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct memphis_json {
	struct memphis_text *text;
	bool comma; /* something stands before in this list or object */
};

/* `key` is NULL inside lists. */
void memphis_json_open(struct memphis_json *json, const char *key, char bracket);
void memphis_json_close(struct memphis_json *json, char bracket);
void memphis_json_string(struct memphis_json *json, const char *key, const char *value); /* NULL -> null */
void memphis_json_number(struct memphis_json *json, const char *key, uint64_t value);
/* With six digits behind the point; NaN and infinity, which JSON does not know, -> null. */
void memphis_json_real(struct memphis_json *json, const char *key, double value);
void memphis_json_hex(struct memphis_json *json, const char *key, uint64_t value);
void memphis_json_bool(struct memphis_json *json, const char *key, bool value);
void memphis_json_null(struct memphis_json *json, const char *key);

#endif
