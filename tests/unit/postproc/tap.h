/* SPDX-License-Identifier: BSD-3-Clause */
/* Test Anything Protocol for the unit tests: a test is a sentence and what must hold. */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_count, tap_failed;

static inline bool tap_ok(bool ok, const char *sentence, const char *file, int line)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++tap_count, sentence);
	if (!ok)
		printf("# at %s:%d\n", file, line);
	tap_failed += !ok;
	return ok;
}

static inline bool tap_is(const char *got, const char *want, const char *sentence, const char *file, int line)
{
	bool ok = tap_ok(got && !strcmp(got, want), sentence, file, line);

	if (!ok)
		printf("# got:  %s\n# want: %s\n", got ? got : "(null)", want);
	return ok;
}

#define ok(condition, sentence) tap_ok(condition, sentence, __FILE__, __LINE__)
#define is(got, want, sentence) tap_is(got, want, sentence, __FILE__, __LINE__)

static inline int tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}

#endif
