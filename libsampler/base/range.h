/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of lists of numbers and ranges ("0-3,8"): CPU and node lists of the kernel, and lists of MPI ranks. */
#ifndef MEMPHIS_RANGE_H
#define MEMPHIS_RANGE_H

/*
 * Reads the next range of the list at *text. Advances *text past the range and the comma after it. A single
 * number is a range with equal bounds.
 *
 * Returns 1 and sets *first and *last (inclusive). Returns 0 at the end of the string. Returns -EINVAL and
 * leaves *text unchanged in these cases: a number does not start with a decimal digit, a number does not fit,
 * the end of a range is below its start, or nothing follows a comma. Blanks and newlines are not part of the
 * grammar. Preserves errno.
 */
int memphis_range_next(const char **text, unsigned long *first, unsigned long *last);

#endif
