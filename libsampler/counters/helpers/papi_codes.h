/* SPDX-License-Identifier: BSD-3-Clause */
/* Codes of the core's events that PAPI knows by name, for MEMPHIS_REGION_COUNTERS; and the system calls that PAPI makes. */
#ifndef MEMPHIS_PAPI_CODES_H
#define MEMPHIS_PAPI_CODES_H

/*
 * Prints "rCODE" for an event that PAPI or libpfm knows by this name, or the reason why no single counter can count it. Opens no event, and
 * so needs no right to count. Returns 0 or 1.
 */
int papi_print_code(const char *name);

#endif
