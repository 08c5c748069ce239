/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Test Anything Protocol for the unit tests. A test is a condition and a sentence (a printf format) that names it. A test that
 * fails reports its file and line, and the actual and the expected value. main() ends with `return finish()`.
 */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 4, 5))) static inline bool tap_ok(bool holds, const char *file, int line,
								const char *sentence, ...)
{
	va_list arguments;

	printf("%sok %d - ", holds ? "" : "not ", ++tap_count);
	va_start(arguments, sentence);
	vprintf(sentence, arguments);
	va_end(arguments);
	printf("\n");
	if (!holds)
		printf("# at %s:%d\n", file, line);
	fflush(stdout);
	tap_failed += !holds;
	return holds;
}

static inline void tap_is(unsigned long long got, unsigned long long want, const char *file, int line,
			  const char *sentence)
{
	if (!tap_ok(got == want, file, line, "%s", sentence))
		printf("# got:  %llu (0x%llx)\n# want: %llu (0x%llx)\n", got, got, want, want);
}

static inline void tap_is_text(const char *got, const char *want, const char *file, int line,
			       const char *sentence)
{
	if (!tap_ok(got && !strcmp(got, want), file, line, "%s", sentence))
		printf("# got:  %s\n# want: %s\n", got ? got : "(null)", want);
}

#define ok(condition, ...) tap_ok(condition, __FILE__, __LINE__, __VA_ARGS__)
#define is(got, want, sentence) \
	tap_is((unsigned long long)(got), (unsigned long long)(want), __FILE__, __LINE__, sentence)
#define is_text(got, want, sentence) tap_is_text(got, want, __FILE__, __LINE__, sentence)

static inline int finish(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}

#endif
