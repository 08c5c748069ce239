/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of numbers and ranges. If this fails, samples get the wrong node, or the wrong MPI ranks are sampled. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/range.h"
#include "../../tap.h"

/* Parses the whole list into "FIRST-LAST " for each range. Returns the last result of memphis_range_next(). */
static int parse(const char *list, char *out, size_t bytes)
{
	unsigned long first, last;
	size_t used = 0;
	int more;

	*out = '\0';
	while ((more = memphis_range_next(&list, &first, &last)) > 0)
		used += (size_t)snprintf(out + used, bytes - used, "%lu-%lu ", first, last);
	return more;
}

static void check_good(void)
{
	static const struct {
		const char *list, *ranges;
	} cases[] = {
		{"", ""},
		{"0", "0-0 "},
		{"0-3,8", "0-3 8-8 "},
		{"007-010", "7-10 "},
		{"5,5,2-4,3", "5-5 5-5 2-4 3-3 "},
		{"18446744073709551615", "18446744073709551615-18446744073709551615 "},
	};
	char out[128];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(!parse(cases[i].list, out, sizeof(out)) && !strcmp(out, cases[i].ranges),
		   "\"%s\" is a list", cases[i].list);
}

static void check_bad(void)
{
	static const struct {
		const char *list, *before; /* the ranges in front of the error */
	} cases[] = {
		{"x", ""},
		{" 0", ""},
		{"-1", ""},
		{"+1", ""},
		{",1", ""},
		{"1,", ""},
		{"1-", ""},
		{"1-x", ""},
		{"1--2", ""},
		{"3-1", ""},
		{"1-2-3", ""},
		{"1 ", ""},
		{"0x10", ""},
		{"1,,2", "1-1 "},
		{"0-1,x", "0-1 "},
		{"18446744073709551616", ""},
		{"0-18446744073709551616", ""},
	};
	char out[128];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(parse(cases[i].list, out, sizeof(out)) == -EINVAL && !strcmp(out, cases[i].before),
		   "\"%s\" is refused", cases[i].list);
	ok(parse("1\n", out, sizeof(out)) == -EINVAL, "so is a newline");
}

static void check_state(void)
{
	const char *list = "4-6,7-", *at = list;
	unsigned long first, last;

	errno = EBUSY;
	ok(memphis_range_next(&at, &first, &last) == 1 && at == list + 4, "the comma is consumed");
	ok(memphis_range_next(&at, &first, &last) == -EINVAL && at == list + 4, "an error consumes nothing");
	at = "99999999999999999999";
	memphis_range_next(&at, &first, &last);
	is(errno, EBUSY, "errno is left alone");
}

int main(void)
{
	check_good();
	check_bad();
	check_state();
	return finish();
}
