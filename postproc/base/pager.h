/* SPDX-License-Identifier: BSD-3-Clause */
/* What is written for a reader at a terminal goes through a pager, as git(1) does it. */
#ifndef MEMPHIS_PAGER_H
#define MEMPHIS_PAGER_H

#include "base/error.h"
#include "base/text.h"

/*
 * If standard output is a terminal, all that is written there from now on goes through the pager of MEMPHIS_PAGER, PAGER,
 * or less. Nothing happens if it can't be run.
 */
void memphis_pager_start(void);

/*
 * Waits for the pager, if there is one, when all is written. `rc`: 0, or the negative errno of what could not be; returns it,
 * or what is wrong with the pager. A reader who has seen enough is no error.
 */
int memphis_pager_finish(int rc);

/*
 * Writes the text to the file at `path`, or if that is NULL to standard output, with a pager if one is wanted. 0 or a negative
 * errno; a text that has failed is -ENOMEM.
 */
int memphis_write_out(const struct memphis_text *text, const char *path, bool with_pager,
		      struct memphis_error *error);

#endif
