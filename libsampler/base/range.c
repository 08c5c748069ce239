/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of lists of numbers and ranges ("0-3,8"). */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/range.h"

/* strtoul() would also accept blanks and signs. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int memphis_range_next(const char **text, unsigned long *first, unsigned long *last)
{
	const char *at = *text;
	int saved = errno, err;
	char *end;

	if (!*at)
		return 0;
	if (!is_digit(*at))
		return -EINVAL;
	errno = 0;
	*first = *last = strtoul(at, &end, 10);
	if (*end == '-' && is_digit(end[1]))
		*last = strtoul(end + 1, &end, 10);
	err = errno;
	errno = saved;
	if (err || *last < *first || (*end && (*end != ',' || !end[1])))
		return -EINVAL;
	*text = end + (*end == ',');
	return 1;
}
