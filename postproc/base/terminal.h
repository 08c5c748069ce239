/* SPDX-License-Identifier: BSD-3-Clause */
/* Detects whether output goes to a terminal, and whether to use colour. */
#ifndef MEMPHIS_TERMINAL_H
#define MEMPHIS_TERMINAL_H

#include <stdbool.h>

/* Returns true if `fd` is a terminal that can do more than print lines of text. */
bool memphis_is_terminal(int fd);

/*
 * Decides whether standard output is coloured: `when` is "auto", "always" or "never". Returns false for any
 * other word.
 */
bool memphis_parse_color(const char *when, bool *color);

#endif
