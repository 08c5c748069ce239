/* SPDX-License-Identifier: BSD-3-Clause */
/* Error messages, one line for the user each; and growing arrays. */
#ifndef MEMPHIS_ERROR_H
#define MEMPHIS_ERROR_H

#include <stddef.h>

struct memphis_error {
	char text[5120]; /* room for a path of PATH_MAX and the reason */
};

/*
 * Writes the message and returns `code` (a negative errno), so that callers can `return memphis_fail(...)`.
 */
int memphis_fail(struct memphis_error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Ensures room for `want` elements in the malloc'ed array at *array by doubling its size. `room` counts
 * elements; new elements are not cleared. Returns 0 or -ENOMEM.
 */
int memphis_grow(void *array, size_t *room, size_t want, size_t element_bytes);

/* Appends a zeroed element to the array; evaluates to its address, or NULL if memory runs out. */
#define memphis_append(array, count, room)                                      \
	(memphis_grow(&(array), &(room), (size_t)(count) + 1, sizeof(*(array))) \
		 ? NULL                                                         \
		 : __builtin_memset(&(array)[(count)++], 0, sizeof(*(array))))

#endif
