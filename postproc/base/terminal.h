/* SPDX-License-Identifier: BSD-3-Clause */
/* Terminal and colour detection. */
#ifndef MEMPHIS_TERMINAL_H
#define MEMPHIS_TERMINAL_H

#include <stdbool.h>

/* Returns whether `fd` is a terminal that supports more than lines of text. */
bool memphis_is_terminal(int fd);

/* Sets *color for standard output from "auto", "always" or "never"; returns false for any other word. */
bool memphis_parse_color(const char *when, bool *color);

#endif
