/* SPDX-License-Identifier: BSD-3-Clause */
/* Text for chunks and messages, built in memory that the program's allocator does not know. */
#ifndef MEMPHIS_TEXT_H
#define MEMPHIS_TEXT_H

#include "base/sys.h"

struct memphis_text {
	char *data;
	size_t used, size;
	__u32 lines;
	int error; /* -ENOMEM once memory ran out; what was added later is missing */
};

/* Append, formatted. A line counts once its '\n' was added. */
void memphis_text_add(struct memphis_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Append one "key value\n" with the value escaped as format.h says. */
void memphis_text_pair(struct memphis_text *text, const char *key, const char *value);
/* Append a value, escaped, and '\n'. */
void memphis_text_value(struct memphis_text *text, const char *value, size_t length);
void memphis_text_clear(struct memphis_text *text);
void memphis_text_free(struct memphis_text *text);

/* As strtod(3) in the C locale, whatever the program's is: files of the kernel's and answers of helpers have points. */
double memphis_text_number(const char *text, char **end);

/*
 * The whole of a (proc, sysfs) file as a NUL-terminated string appended to nothing else: text is cleared
 * first. 0 or -errno.
 */
int memphis_text_read(struct memphis_text *text, const char *path);

#endif
