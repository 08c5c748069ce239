/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a pager for output to a terminal, as git(1) does. */
#ifndef MEMPHIS_PAGER_H
#define MEMPHIS_PAGER_H

#include "base/error.h"
#include "base/text.h"

/*
 * If standard output is a terminal, redirects it to the pager named by MEMPHIS_PAGER or PAGER, or to less. If
 * the pager cannot run, output goes to the terminal as before.
 */
void memphis_pager_start(void);

/*
 * Flushes standard output and waits for the pager, if any. `rc` is 0 or the negative errno of a failed write;
 * returns `rc`, or the error of the pager. A pager that the user quits early is not an error.
 */
int memphis_pager_finish(int rc);

/*
 * Writes the text to the file at `path`; with `path` NULL to standard output, through a pager if
 * `with_pager`. Returns 0 or a negative errno; -ENOMEM if building the text had failed.
 */
int memphis_write_out(const struct memphis_text *text, const char *path, bool with_pager,
		      struct memphis_error *error);

#endif
