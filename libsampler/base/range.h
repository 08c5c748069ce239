/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of lists of numbers and ranges ("0-3,8"): CPU and node lists of the kernel, and lists of MPI ranks. */
#ifndef MEMPHIS_RANGE_H
#define MEMPHIS_RANGE_H

/*
 * Reads the next range of the list at *text, and advances *text past the range and the comma after it. A
 * single number is a range whose bounds are equal.
 *
 * Returns 1 and sets *first and *last (inclusive), 0 at the end of the string, or -EINVAL, which leaves *text
 * unchanged. The following are invalid: anything but a decimal digit where a number should start, a number
 * that does not fit, a range whose end is below its start, and a comma with nothing after it. Blanks and
 * newlines are not part of the grammar. Preserves errno.
 */
int memphis_range_next(const char **text, unsigned long *first, unsigned long *last);

#endif
