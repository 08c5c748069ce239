// SPDX-License-Identifier: BSD-3-Clause
#include "cmd/dump_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

void memphis_dump_begin(struct memphis_dump *dump, const char *kind)
{
	dump->text.bytes = 0;
	dump->writer = (struct memphis_json){&dump->text, false};
	if (dump->json) {
		memphis_json_open(&dump->writer, NULL, '{');
		memphis_json_string(&dump->writer, "what", kind);
	} else {
		memphis_text_print(&dump->text, "%s", kind);
	}
}

void memphis_dump_text(struct memphis_dump *dump, const char *key, const char *value)
{
	if (dump->json) {
		memphis_json_string(&dump->writer, key, value);
		return;
	}
	memphis_text_print(&dump->text, " %s=", key);
	memphis_text_put_plain(&dump->text, value);
}

void memphis_dump_number(struct memphis_dump *dump, const char *key, uint64_t value)
{
	if (dump->json)
		memphis_json_number(&dump->writer, key, value);
	else
		memphis_text_print(&dump->text, " %s=%" PRIu64, key, value);
}

void memphis_dump_hex(struct memphis_dump *dump, const char *key, uint64_t value)
{
	if (dump->json)
		memphis_json_hex(&dump->writer, key, value);
	else
		memphis_text_print(&dump->text, " %s=0x%" PRIx64, key, value);
}

void memphis_dump_end(struct memphis_dump *dump)
{
	if (dump->json)
		memphis_json_close(&dump->writer, '}');
	memphis_text_put(&dump->text, "\n");
	if (!dump->text.failed && !dump->written &&
	    fwrite(dump->text.text, 1, dump->text.bytes, stdout) != dump->text.bytes)
		dump->written = -errno;
}

void memphis_dump_real(struct memphis_dump *dump, const char *key, double value)
{
	if (dump->json)
		memphis_json_real(&dump->writer, key, value);
	else
		memphis_text_print(&dump->text, " %s=%.17g", key, value);
}
