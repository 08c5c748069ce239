/* SPDX-License-Identifier: BSD-3-Clause */
/* Detects whether output goes to a terminal, and whether to use colour. */
#ifndef MEMPHIS_TERMINAL_H
#define MEMPHIS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* Returns true if `fd` is a terminal that supports escape sequences. */
bool memphis_is_terminal(int fd);

/* Decides whether standard output is coloured: `when` is "auto", "always" or "never". Returns false for any other word. */
bool memphis_parse_color(const char *when, bool *color);

/*
 * Returns the maximum width of lines: the value of COLUMNS, else the width of the terminal on standard
 * output, else 80. Returns at least MEMPHIS_LAYOUT_LEAST and at most MEMPHIS_LAYOUT_MOST. If `file` is true,
 * the output goes to a file, and the width of the terminal is ignored.
 */
size_t memphis_terminal_width(bool file);

/* Sends output to a pager if standard output is a terminal, as git(1) does. */

/*
 * If standard output is a terminal, redirects it to the pager named by MEMPHIS_PAGER or PAGER, by default
 * less. If the pager cannot be run, output still goes to the terminal.
 */
void memphis_pager_start(void);

/*
 * Flushes standard output and waits for the pager, if one is running. `rc` is 0 or the negative errno of a
 * failed write. Returns `rc` if it is not 0, otherwise 0 or the error of the pager. If the user quits the
 * pager early, this is no error.
 */
int memphis_pager_finish(int rc);

/*
 * Writes the text to the file at `path`, or to standard output if `path` is NULL. If `with_pager` is true,
 * standard output is paged. Returns 0 or a negative errno. Returns -ENOMEM if the text is incomplete because
 * memory was exhausted.
 */
int memphis_write_out(const struct memphis_text *text, const char *path, bool with_pager,
		      struct memphis_error *error);

/*
 * Progress of reading sample files, shown as one line on standard error if that is a terminal. The line
 * appears after one second and is erased at the end. At most one such line per process.
 */

/*
 * Starts the progress line for the sample files at `paths`; for a directory, for all sample files in it.
 * Does nothing if standard error is not a terminal.
 */
void memphis_progress_begin(char *const *paths, size_t count);

/*
 * Shows `what` in the progress line, as the step that follows reading. Keeps the pointer, so the string must
 * stay valid until memphis_progress_end().
 */
void memphis_progress_begin_stage(const char *what);

/* Erases the progress line. Must be called before anything else is printed. */
void memphis_progress_end(void);

/* Adds to the number of bytes read. Can be called from any thread; the cost is one atomic addition. */
extern uint64_t memphis_progress_bytes;
static inline void memphis_progress_add(uint64_t bytes)
{
	__atomic_fetch_add(&memphis_progress_bytes, bytes, __ATOMIC_RELAXED);
}

#endif
