// SPDX-License-Identifier: BSD-3-Clause
/* Student's t distribution, by values of published tables and its closed forms. If this fails, chance is taken for a change between runs. */
#include "base/statistics.h"

#include <stdio.h>

#include "../../tap.h"

static const char *number(double value)
{
	static char room[32];

	snprintf(room, sizeof(room), "%.6f", value);
	return room;
}

int main(void)
{
	is_text(number(memphis_student_width(1)), "12.706205", "95 % of one degree of freedom");
	is_text(number(memphis_student_width(0.5)), "164.557673", "95 % of half a degree");
	is_text(number(memphis_student_width(2)), "4.302653", "95 % of two degrees");
	is_text(number(memphis_student_width(10)), "2.228139", "95 % of ten degrees");
	is_text(number(memphis_student_width(100)), "1.983972", "95 % of a hundred degrees");
	/* With one degree p is 1 - 2 / pi * atan(t), with two degrees 1 - t / sqrt(2 + t * t). */
	is_text(number(memphis_student_p(1, 1)), "0.500000", "the probability beyond 1 with one degree");
	is_text(number(memphis_student_p(-4, 2)), "0.057191", "the probability beyond -4 with two degrees");
	is_text(number(memphis_student_p(0.01, 2)), "0.992929", "the probability beyond 0.01");
	is_text(number(memphis_student_p(0, 5)), "1.000000", "all values are beyond 0");
	is_text(number(memphis_student_p(100, 3)), "0.000002", "the probability far out");
	return finish();
}
