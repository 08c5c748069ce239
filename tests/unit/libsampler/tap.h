/* SPDX-License-Identifier: BSD-3-Clause */
/* What a unit test needs to speak TAP: ok(condition, sentence), finish(). */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdio.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 2, 3), unused)) static int ok(int condition, const char *sentence, ...)
{
	va_list args;

	printf("%sok %d - ", condition ? "" : "not ", ++tap_count);
	va_start(args, sentence);
	vprintf(sentence, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	tap_failed += !condition;
	return condition;
}

/* Equal numbers, both shown when they are not. */
#define is(got, expected, sentence)                                                                    \
	do {                                                                                           \
		unsigned long long got_ = (unsigned long long)(got);                                   \
		unsigned long long expected_ = (unsigned long long)(expected);                         \
		if (!ok(got_ == expected_, "%s", sentence))                                            \
			printf("# got %llu (0x%llx), expected %llu (0x%llx)\n", got_, got_, expected_, \
			       expected_);                                                             \
	} while (0)

static inline int finish(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}

#endif
