/* SPDX-License-Identifier: BSD-3-Clause */
/* Text buffers for chunks and messages. Their memory does not come from the program's allocator. */
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/text.h"

/* Makes room for `bytes` more bytes and a NUL. Returns 0 or the buffer's error. */
static int reserve_bytes(struct memphis_text_buffer *text, size_t bytes)
{
	size_t size = text->size ? text->size : 4096;
	char *data;

	if (text->error)
		return text->error;
	if (text->data && text->used + bytes + 1 <= text->size)
		return 0;
	while (size < text->used + bytes + 1)
		size *= 2;
	data = sys_map(size);
	if (!data)
		return text->error = -ENOMEM;
	if (text->data) {
		memcpy(data, text->data, text->used);
		sys_unmap(text->data, text->size);
	}
	text->data = data;
	text->size = size;
	data[text->used] = '\0';
	return 0;
}

void memphis_text_add(struct memphis_text_buffer *text, const char *format, ...)
{
	va_list args;
	int length;
	size_t i;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0 || reserve_bytes(text, (size_t)length))
		return;
	va_start(args, format);
	vsnprintf(text->data + text->used, (size_t)length + 1, format, args);
	va_end(args);
	for (i = text->used; i < text->used + (size_t)length; i++)
		text->lines += text->data[i] == '\n';
	text->used += (size_t)length;
}

void memphis_text_add_value(struct memphis_text_buffer *text, const char *value, size_t length)
{
	size_t i;

	if (reserve_bytes(text, 2 * length + 1))
		return;
	for (i = 0; i < length; i++) {
		if (value[i] == '\n' || value[i] == '\\')
			text->data[text->used++] = '\\';
		text->data[text->used++] = value[i] == '\n' ? 'n' : value[i];
	}
	text->data[text->used++] = '\n';
	text->data[text->used] = '\0';
	text->lines++;
}

void memphis_text_add_pair(struct memphis_text_buffer *text, const char *key, const char *value)
{
	memphis_text_add(text, "%s ", key);
	memphis_text_add_value(text, value, strlen(value));
}

void memphis_text_clear(struct memphis_text_buffer *text)
{
	text->used = 0;
	text->lines = 0;
	text->error = 0;
	if (text->data)
		text->data[0] = '\0';
}

void memphis_text_free(struct memphis_text_buffer *text)
{
	sys_unmap(text->data, text->size);
	memset(text, 0, sizeof(*text));
}

double memphis_text_number(const char *text, char **end)
{
	/* glibc returns a static object for the C locale, so there is nothing to free. */
	return strtod_l(text, end, newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

int memphis_text_read(struct memphis_text_buffer *text, const char *path)
{
	ssize_t got;
	int err = 0;
	int fd;

	memphis_text_clear(text);
	fd = memphis_fd_open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	for (;;) {
		err = reserve_bytes(text, 65536);
		if (err)
			break;
		got = read(fd, text->data + text->used, text->size - text->used - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			err = got < 0 ? -errno : 0;
			break;
		}
		text->used += (size_t)got;
		text->data[text->used] = '\0';
	}
	close(fd);
	return err;
}

/*
 * strerrordesc_np() exists since glibc 2.32. Unlike strerror(3), it does not translate the text, which would
 * take locks and allocate.
 */
extern const char *strerrordesc_np(int err) __attribute__((weak));

const char *memphis_error_text(int err)
{
	const char *text = strerrordesc_np ? strerrordesc_np(err) : strerror(err);

	return text ? text : "unknown error";
}

const char *memphis_answer_for(const struct memphis_error_answer *rows, int err)
{
	while (rows->errs[0] && rows->errs[0] != err && rows->errs[1] != err)
		rows++;
	return rows->text;
}
