/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performance Co-Pilot and PAPI are asked by programs of their own. Their libraries write to the environment, ignore signals for
 * the whole process, register exit handlers and wait for daemons: none of it may happen in a program that is measured.
 *
 * A helper is started with the names that it is asked for and the number of the process, as its arguments. For each byte on its standard
 * input it answers on standard output with lines that end in '\n', fields separated by one blank:
 *	V host|process counter|gauge NODE|- UNIT|- VALUE NAME
 *	R NAME '\t' WHY		such a thing can't be had, told once
 *	L WHY			can't be read at the moment
 *	.			the end of the answer
 * and ends when its input does.
 */
#ifndef MEMPHIS_COUNTER_HELPER_H
#define MEMPHIS_COUNTER_HELPER_H

#include <stddef.h>

#include "counters/source.h"

#define MEMPHIS_HELPER_ANSWER_MAX (1u << 20) /* bytes of an answer */

/*
 * The answer's lines to the sink; `answer` is written to. NULL; why something can't be read; or why it is no answer.
 */
const char *memphis_helper_parse(struct memphis_counters_sink *sink, char *answer);

#endif
