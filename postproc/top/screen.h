/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A terminal that shows one screen of text at a time. It is restored when the program ends for any reason.
 * There is at most one per process.
 */
#ifndef MEMPHIS_SCREEN_H
#define MEMPHIS_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/*
 * Switches standard output, which must be a terminal, to its alternate screen. If standard input is a
 * terminal, switches it to reading single keys. Signals that end or stop this process first restore the
 * terminal. Returns 0 or -errno.
 */
int memphis_screen_open(void);
void memphis_screen_close(void);

void memphis_screen_size(size_t *width, size_t *height);

/* Shows the lines in place of the previous ones, cut to the width of the screen. `keys` is the last line. Returns 0 or -errno. */
int memphis_screen_show(const struct memphis_text *lines, const char *keys);

enum {
	MEMPHIS_SCREEN_TIME = 0,
	MEMPHIS_SCREEN_RESIZED = -1,
	MEMPHIS_SCREEN_HUNG_UP = -2,
	MEMPHIS_SCREEN_READY = -3
};

/*
 * Waits until CLOCK_MONOTONIC reaches `until_s`, a key is pressed, the screen is resized, or the descriptor
 * `other` can be read (-1: none). Returns the key or one of the values above.
 */
int memphis_screen_wait(double until_s, int other);

#endif
