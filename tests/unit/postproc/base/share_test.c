// SPDX-License-Identifier: BSD-3-Clause
/* Shares with their Wilson 95 % confidence intervals. If this fails, reports overstate how certain they are. */
#include "base/statistics.h"

#include <stdio.h>

#include "../../tap.h"

static const char *interval(uint64_t part, uint64_t whole)
{
	struct memphis_share share = memphis_share_of(part, whole);
	static char room[64];

	snprintf(room, sizeof(room), "%.4f %.4f %.4f", share.share, share.low, share.high);
	return room;
}

int main(void)
{
	/* 81 of 263: the example of Newcombe, Statistics in Medicine 17 (1998), table I. */
	is_text(interval(81, 263), "0.3080 0.2553 0.3662", "the interval of 81 of 263");
	is_text(interval(15, 148), "0.1014 0.0624 0.1605", "the interval of 15 of 148");
	is_text(interval(0, 20), "0.0000 0.0000 0.1611", "the interval of 0 of 20");
	is_text(interval(29, 29), "1.0000 0.8830 1.0000", "the interval of 29 of 29");
	is_text(interval(0, 0), "0.0000 0.0000 1.0000", "the interval of 0 of 0 is everything");
	return finish();
}
