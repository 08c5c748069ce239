/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of PAPI in the list of --region-events. */
#ifndef MEMPHIS_RECORD_COUNTERS_H
#define MEMPHIS_RECORD_COUNTERS_H

#include "base/error.h"

/*
 * Replaces each papi:EVENT by EVENT=rCODE, and each NAME=papi:EVENT by NAME=rCODE, which the library accepts: the helper program beside
 * the library asks PAPI, so that PAPI is loaded neither into the tool nor into the program. The caller frees *translated. Returns 0, or an
 * error with a message in *error.
 */
int memphis_record_counters(const char *library, const char *list, char **translated,
			    struct memphis_error *error);

#endif
