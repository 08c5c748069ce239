// SPDX-License-Identifier: BSD-3-Clause
/* Checks and error messages that all functions for loading records use. */
#include "profile/file/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int mprof_no_memory(const struct mprof_reader *reader)
{
	return memphis_fail(reader->error, -ENOMEM, "%s: out of memory", reader->input.path);
}

int mprof_nonsense(const struct mprof_reader *reader, const char *record, const char *what)
{
	return memphis_fail(reader->error, -EBADMSG,
			    "%s: record %" PRIu64
			    " (%s): %s is malformed; the file is damaged, or its writer has a defect",
			    reader->input.path, reader->input.records - 1, record, what);
}

bool mprof_is_text(ProtobufCBinaryData bytes)
{
	return !bytes.len || !memchr(bytes.data, 0, bytes.len);
}

char *mprof_text_of(const struct mprof_reader *reader, ProtobufCBinaryData bytes, const char *record,
		    const char *what, int *rc)
{
	char *text;

	if (*rc)
		return NULL;
	if (!mprof_is_text(bytes)) {
		*rc = mprof_nonsense(reader, record, what);
		return NULL;
	}
	text = malloc(bytes.len + 1);
	if (!text) {
		*rc = mprof_no_memory(reader);
		return NULL;
	}
	if (bytes.len)
		memcpy(text, bytes.data, bytes.len);
	text[bytes.len] = 0;
	return text;
}

int mprof_check(struct mprof_reader *reader, const struct mprof_table *table, const ProtobufCMessage *message,
		size_t *count)
{
	const char *wrong = mprof_check_rows(table, message, reader->bounds, count);

	return wrong ? mprof_nonsense(reader, table->name, wrong) : 0;
}
