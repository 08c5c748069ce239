// SPDX-License-Identifier: BSD-3-Clause
/* Detects whether output goes to a terminal, and whether to use colour. */
#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool memphis_is_terminal(int fd)
{
	const char *kind = getenv("TERM");

	return isatty(fd) && kind && *kind && strcmp(kind, "dumb") != 0;
}

bool memphis_parse_color(const char *when, bool *color)
{
	const char *unwanted = getenv("NO_COLOR");

	if (!strcmp(when, "auto"))
		*color = memphis_is_terminal(STDOUT_FILENO) && !(unwanted && *unwanted);
	else if (!strcmp(when, "always") || !strcmp(when, "never"))
		*color = *when == 'a';
	else
		return false;
	return true;
}
