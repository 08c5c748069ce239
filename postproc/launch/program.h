/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a program in place of this process. The program gets the signals that are sent to this process. When
 * the program stops or ends, this process stops or ends in the same way.
 */
#ifndef MEMPHIS_PROGRAM_H
#define MEMPHIS_PROGRAM_H

/* Replaces this process by the program. Returns a negative errno on failure. */
int memphis_program_become(char **command);

/*
 * Runs the program as a child process, and sets *status to its wait status. All signals stay blocked
 * afterwards. Returns 0, or a negative errno if the program cannot be started.
 */
int memphis_program_run(char **command, int *status);

/* Ends like the program: returns its exit status, or ends this process by the signal that killed the program. */
int memphis_program_end_as(int status);

#endif
