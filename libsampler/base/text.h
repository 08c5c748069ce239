/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text buffers for chunks and messages. Their memory does not come from the program's allocator. A buffer is
 * initialised with zeros. Only one thread at a time may use it.
 */
#ifndef MEMPHIS_TEXT_H
#define MEMPHIS_TEXT_H

#include "base/sys.h"

struct memphis_text_buffer {
	char *data; /* NUL-terminated; NULL until text is added */
	size_t used, size;
	__u32 lines;
	int error; /* -ENOMEM if memory ran out; texts that were added later are missing */
};

/* Appends formatted text, and adds the number of its newlines to `lines`. */
void memphis_text_add(struct memphis_text_buffer *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Appends "key value\n". Escapes the value as format.h specifies. */
void memphis_text_add_pair(struct memphis_text_buffer *text, const char *key, const char *value);
/* Appends an escaped value of `length` bytes and '\n'. */
void memphis_text_add_value(struct memphis_text_buffer *text, const char *value, size_t length);
/* Empties the buffer and clears its error, but keeps its memory allocated. */
void memphis_text_clear(struct memphis_text_buffer *text);
void memphis_text_free(struct memphis_text_buffer *text);

/*
 * Does the same as strtod(3), but always in the C locale, because files of the kernel and answers of helpers
 * use decimal points.
 */
double memphis_text_number(const char *text, char **end);

/*
 * Replaces the content of the buffer by the content of a file, which may be in procfs or sysfs. Does not
 * count `lines`. Returns 0 or -errno.
 */
int memphis_text_read(struct memphis_text_buffer *text, const char *path);

/* Returns the English text of an error (a positive errno). Companions may call it, too. */
const char *memphis_error_text(int err);

/* A text about one or two errors (positive errno). The last row of a table has the error 0 and applies to all other errors. */
struct memphis_error_answer {
	int errs[2];
	const char *text;
};

/* Returns the text of the first row for the error. */
const char *memphis_answer_for(const struct memphis_error_answer *rows, int err);

#endif
