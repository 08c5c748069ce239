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

static const char *print_more(const char *lines, uint64_t times)
{
	struct memphis_settings settings = {0};
	struct memphis_text text = {0};
	static char room[128];

	memphis_settings_add(&settings, (struct memphis_span){lines, strlen(lines)});
	memphis_put_more_samples(&settings, times, &text);
	snprintf(room, sizeof(room), "%s", text.text);
	memphis_text_close(&text);
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
	is_text(print_more("period 4096\nperiod_min 1024\n", 4),
		"sample 4 times as often (--period 1024), or run 4 times as long",
		"more samples are advised with the period");
	is_text(print_more("period 4096\nperiod_min 1024\n", 30),
		"sample with --period 1024, the shortest here, and run 8 times as long",
		"no period is advised that the machine refuses");
	is_text(print_more("period 1024\nperiod_min 1024\n", 2),
		"run 2 times as long, as the period is the shortest here",
		"at the shortest period, only longer runs have more samples");
	is_text(print_more("", 3), "sample 3 times as often, or run 3 times as long",
		"without a period, none is advised");
	return finish();
}
