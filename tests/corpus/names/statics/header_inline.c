// SPDX-License-Identifier: BSD-3-Clause
/* An inline function of a header has a static of its own in each unit. */
/* corpus: units header_inline_other.c header_inline.h */
#include "corpus.h"
#include "header_inline.h"

void other(void);

int main(void)
{
	TRUTH(counters(), BYTES, "counters::hits #main");
	other();
	return 0;
}
