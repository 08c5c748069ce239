/* SPDX-License-Identifier: BSD-3-Clause */
/* Translates PAPI events in the list of --region-events. */
#ifndef MEMPHIS_RECORD_COUNTERS_H
#define MEMPHIS_RECORD_COUNTERS_H

#include "base/error.h"

/*
 * Replaces each papi:EVENT in the list by EVENT=rCODE, and each NAME=papi:EVENT by NAME=rCODE. The library
 * accepts these forms. A helper program next to the library asks PAPI, so that PAPI is loaded neither into
 * the tool nor into the program. The caller must free *translated. Returns 0, or a negative errno with a
 * message in *error.
 */
int memphis_record_counters(const char *library, const char *list, char **translated,
			    struct memphis_error *error);

#endif
