/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of memphis dump, as text or as JSON. */
#ifndef MEMPHIS_DUMP_LINE_H
#define MEMPHIS_DUMP_LINE_H

#include <stdbool.h>

#include "base/json.h"
#include "read/reader.h"

struct memphis_dump {
	bool json;
	struct memphis_text text; /* one line */
	struct memphis_json writer;
	const struct memphis_file *file;
	struct memphis_chunk_view *chunk;
	int written; /* 0, or the negative errno of standard output */
};

/* A line is begun, gets its fields, and is ended. As text a field is `key=value`. */
void memphis_dump_begin(struct memphis_dump *dump, const char *kind);
void memphis_dump_text(struct memphis_dump *dump, const char *key, const char *value);
void memphis_dump_number(struct memphis_dump *dump, const char *key, uint64_t value);
void memphis_dump_hex(struct memphis_dump *dump, const char *key, uint64_t value);
void memphis_dump_real(struct memphis_dump *dump, const char *key, double value);
void memphis_dump_end(struct memphis_dump *dump);

#endif
