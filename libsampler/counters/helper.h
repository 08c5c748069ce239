/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Helpers: separate programs that read Performance Co-Pilot and PAPI. Their libraries write to the
 * environment, ignore signals for the whole process, register exit handlers and wait for daemons, none of
 * which may happen in the measured program.
 *
 * The arguments of a helper are the names to read and the pid of the measured process. For each byte on
 * standard input, the helper answers on standard output with lines that end in '\n' and whose fields are
 * separated by one blank:
 * 	V host|process counter|gauge NODE|- UNIT|- VALUE NAME
 * 	R NAME '\t' WHY		NAME is not available; sent once
 * 	L WHY			a value can't be read at the moment
 * 	.			end of the answer
 * The helper exits at the end of its input.
 */
#ifndef MEMPHIS_COUNTER_HELPER_H
#define MEMPHIS_COUNTER_HELPER_H

#include <stddef.h>

#include "counters/source.h"

#define MEMPHIS_HELPER_ANSWER_MAX (1u << 20) /* bytes */

/*
 * Finds the directory of the library. The helper programs are beside it. Has no effect in a companion, which
 * must not call the dynamic loader.
 */
void memphis_helper_setup(void);

/*
 * Parses an answer, and passes its values and refusals to `sink`. Modifies `answer`. Returns NULL, or a
 * message: either why a value can't be read at the moment, or that the answer is malformed. The message is
 * valid until the next call.
 */
const char *memphis_helper_parse(struct memphis_counters_sink *sink, char *answer);

#endif
