/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends output to a pager if standard output is a terminal, as git(1) does. */
#ifndef MEMPHIS_PAGER_H
#define MEMPHIS_PAGER_H

#include "base/error.h"
#include "base/text.h"

/*
 * If standard output is a terminal, redirects it to the pager named by MEMPHIS_PAGER or PAGER, by default
 * less. If the pager cannot be run, output still goes to the terminal.
 */
void memphis_pager_start(void);

/*
 * Flushes standard output and waits for the pager, if one is running. `rc` is 0 or the negative errno of a
 * failed write. Returns `rc` if it is non-zero, else the error of the pager, or 0. It is no error if the user
 * quits the pager early.
 */
int memphis_pager_finish(int rc);

/*
 * Writes the text to the file at `path`, or to standard output if `path` is NULL; standard output is paged if
 * `with_pager`. Returns 0 or a negative errno; -ENOMEM if the text is incomplete because memory was
 * exhausted.
 */
int memphis_write_out(const struct memphis_text *text, const char *path, bool with_pager,
		      struct memphis_error *error);

#endif
