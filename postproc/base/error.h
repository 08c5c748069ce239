/* SPDX-License-Identifier: BSD-3-Clause */
/* One-line error messages for the user, and arrays that grow. */
#ifndef MEMPHIS_ERROR_H
#define MEMPHIS_ERROR_H

#include <stddef.h>

struct memphis_error {
	char text[5120]; /* large enough for a path of PATH_MAX and the reason */
};

/* Formats the message into *error. Returns `code`, a negative errno, so that callers can write `return memphis_fail(...)`. */
int memphis_fail(struct memphis_error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Makes sure that the malloc'ed array at *array has room for `want` elements, by doubling its size. *room is
 * the present room as a number of elements. New elements are not cleared. Returns 0 or -ENOMEM.
 */
int memphis_grow(void *array, size_t *room, size_t want, size_t element_bytes);

/* Appends a zeroed element to the array. Evaluates to the element's address, or to NULL if memory is exhausted. */
#define memphis_append(array, count, room)                                      \
	(memphis_grow(&(array), &(room), (size_t)(count) + 1, sizeof(*(array))) \
		 ? NULL                                                         \
		 : __builtin_memset(&(array)[(count)++], 0, sizeof(*(array))))

#endif
