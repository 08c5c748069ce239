// SPDX-License-Identifier: BSD-3-Clause
/* One-line error messages for the user, and arrays that grow. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int memphis_fail(struct memphis_error *error, int code, const char *format, ...)
{
	va_list arguments;
	char *next;

	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	/*
	 * Replace control characters: the message may contain file names, which may contain escape sequences
	 * and may have been chosen by other users.
	 */
	for (next = error->text; *next; next++)
		if ((unsigned char)*next < ' ' || *next == 0x7f)
			*next = '?';
	return code;
}

int memphis_grow(void *array, size_t *room, size_t want, size_t element_bytes)
{
	void *old, *grown;
	size_t size = *room ? *room : 8;

	if (want <= *room)
		return 0;
	while (size < want) {
		if (size > SIZE_MAX / 2 / element_bytes)
			return -ENOMEM;
		size *= 2;
	}
	/* `array` may have any pointer type; memcpy() accesses it without violating strict aliasing. */
	memcpy(&old, array, sizeof(old));
	grown = reallocarray(old, size, element_bytes);
	if (!grown)
		return -ENOMEM;
	memcpy(array, &grown, sizeof(grown));
	*room = size;
	return 0;
}
