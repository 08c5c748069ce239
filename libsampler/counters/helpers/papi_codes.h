/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the codes of core events that PAPI knows by name, for MEMPHIS_REGION_COUNTERS. Also interposes system calls of PAPI. */
#ifndef MEMPHIS_PAPI_CODES_H
#define MEMPHIS_PAPI_CODES_H

/*
 * Prints "rCODE" for an event that PAPI or libpfm knows by this name, or the reason why no single counter can
 * count it. Opens no event, so it needs no right to count. Returns 0 or 1.
 */
int papi_print_code(const char *name);

#endif
