/* SPDX-License-Identifier: BSD-3-Clause */
/* Is a reader at a terminal there? */
#ifndef MEMPHIS_TERMINAL_H
#define MEMPHIS_TERMINAL_H

#include <stdbool.h>

/* One that understands more than lines of text. */
bool memphis_is_terminal(int fd);

/* Sets *color for standard output from "auto", "always" or "never"; false = none of these. */
bool memphis_parse_color(const char *when, bool *color);

#endif
