/* SPDX-License-Identifier: BSD-3-Clause */
/* What went wrong, as one line for the user; and the two helpers everything stands on. */
#ifndef MEMPHIS_ERROR_H
#define MEMPHIS_ERROR_H

#include <stddef.h>

struct memphis_error {
	char text[5120]; /* a path of PATH_MAX, and what is wrong with it */
};

/* Writes the line and returns `code` (a negative errno), so that callers can `return memphis_fail(...)`. */
int memphis_fail(struct memphis_error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Makes room for `want` elements in the malloc'ed array at *array, doubling. 0 or -ENOMEM. `room` counts
 * elements. New room is not cleared.
 */
int memphis_grow(void *array, size_t *room, size_t want, size_t element_bytes);

/* Appends one cleared element to (array, count, room) and evaluates to its address, or NULL. */
#define memphis_append(array, count, room)                                      \
	(memphis_grow(&(array), &(room), (size_t)(count) + 1, sizeof(*(array))) \
		 ? NULL                                                         \
		 : __builtin_memset(&(array)[(count)++], 0, sizeof(*(array))))

#endif
