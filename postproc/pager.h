/* SPDX-License-Identifier: BSD-3-Clause */
/* What is written for a reader at a terminal goes through a pager, as git(1) does it. */
#ifndef MEMPHIS_PAGER_H
#define MEMPHIS_PAGER_H

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

#endif
