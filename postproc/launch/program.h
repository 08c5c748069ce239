/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that runs in the place of this process: it gets the signals that are sent to this process, and its stops and its end become
 * those of this process.
 */
#ifndef MEMPHIS_PROGRAM_H
#define MEMPHIS_PROGRAM_H

/* Replaces this process by the program. Returns a negative errno if that fails. */
int memphis_program_become(char **command);

/*
 * Runs the program as a child, and sets *status to its wait status. From here on all signals are blocked. Returns a negative errno if the
 * program can't be started.
 */
int memphis_program_run(char **command, int *status);

/* Returns the exit status of the program, or ends this process by the signal that killed it. */
int memphis_program_end_as(int status);

#endif
