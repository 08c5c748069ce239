// SPDX-License-Identifier: BSD-3-Clause
/*
 * The process that a finding names. If this fails, one of many like processes is named, and its reader looks for what
 * is special there.
 */
#include "profile/finding.h"

#include "../../tap.h"

static bool has_worst(uint32_t processes, uint64_t samples, uint64_t worst, uint64_t one_in)
{
	const struct memphis_finding finding = {
		.processes = processes, .samples = samples, .worst = worst, .one_in = one_in};

	return memphis_finding_has_worst(&finding);
}

int main(void)
{
	/* Of 128 Poisson numbers with the mean 3, the largest is 9 or more in 39 % of all runs, and 11 or more in 3.7 %. */
	ok(!has_worst(128, 384, 9, 1), "9 of 384 samples of 128 processes are chance");
	ok(!has_worst(128, 384, 10, 1), "10 of 384 samples of 128 processes are chance");
	ok(has_worst(128, 384, 11, 1), "11 of 384 samples of 128 processes are not chance");
	ok(!has_worst(1000, 10000, 24, 1), "24 of 10000 samples of 1000 processes are chance");
	ok(has_worst(1000, 10000, 25, 1), "25 of 10000 samples of 1000 processes are not chance");
	ok(!has_worst(128, 3840, 100, 10) && has_worst(128, 3840, 110, 10),
	   "where one in ten samples was read, the numbers are those of the samples that were read");
	ok(!has_worst(2, 0, 0, 1) && !has_worst(1, 10, 10, 1), "no process is the worst of none, or of one");
	return finish();
}
