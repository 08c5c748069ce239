/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON writer that takes care of commas, quoting and nesting. */
#ifndef MEMPHIS_JSON_H
#define MEMPHIS_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct memphis_json {
	struct memphis_text *text;
	bool comma; /* the list or object being written already has an element */
};

/* Opens a list or an object. `key` is the name of the value in an object, and NULL in a list. */
void memphis_json_open(struct memphis_json *json, const char *key, char bracket);
void memphis_json_close(struct memphis_json *json, char bracket);
void memphis_json_string(struct memphis_json *json, const char *key,
			 const char *value); /* if `value` is NULL, writes null */
void memphis_json_number(struct memphis_json *json, const char *key, uint64_t value);
/* Writes the value with six decimal places; NaN and infinity, which JSON cannot represent, become null. */
void memphis_json_real(struct memphis_json *json, const char *key, double value);
void memphis_json_hex(struct memphis_json *json, const char *key, uint64_t value);
void memphis_json_bool(struct memphis_json *json, const char *key, bool value);
/* Writes the number, or null if it is not known. */
void memphis_json_known(struct memphis_json *json, const char *key, bool known, uint64_t value);
void memphis_json_null(struct memphis_json *json, const char *key);

#endif
