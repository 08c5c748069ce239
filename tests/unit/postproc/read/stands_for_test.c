// SPDX-License-Identifier: BSD-3-Clause
/* What a sample stands for. If this fails, all estimates are wrong: accesses, bytes moved, waiting. */
#include "read/stands_for.h"

#include <stdio.h>
#include <string.h>

#include "../../tap.h"

static const char *print(const char *lines)
{
	struct memphis_settings settings = {0};
	struct memphis_stands_for stands;
	static char room[96];

	memphis_settings_add(&settings, (struct memphis_span){lines, strlen(lines)});
	stands = memphis_stands_for(&settings);
	snprintf(room, sizeof(room), "%llu %g %g", (unsigned long long)stands.accesses, stands.low,
		 stands.high);
	memphis_settings_close(&settings);
	return room;
}

int main(void)
{
	is_text(print("hardware pebs\nperiod 1009\n"), "1009 1009 1009",
		"a sample of PEBS is exactly one period");
	is_text(print("hardware ibs\nperiod 1000000\n"), "999680 999424 999936",
		"one of IBS is less by the random start and the return from the interrupt, and the middle is taken");
	is_text(print("hardware ibs\nperiod 4096\ncount ops\n"), "3776 3520.5 4032.5",
		"the same number at any period");
	is_text(print("hardware ibs\nperiod 400\n"), "168 0 336.5", "no limit is negative");
	is_text(print("hardware ibs\nperiod 16\n"), "1 0 1", "however short the period is");
	is_text(print("hardware ibs\nperiod 100000\ncount cycles\n"), "0 0 0", "cycles are no accesses");
	is_text(print("hardware ibs\n"), "0 0 0", "without a period nothing is known");
	return finish();
}
