/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a machine's settings from directories like /proc and /sys. If this fails, reports do not show why runs differ. */
#include <stdlib.h>
#include <string.h>

#include "record/metadata.h"
#include "../../tap.h"

static char root[] = "/tmp/memphis-machine-test-XXXXXX";

static void put(const char *name, const char *text)
{
	char command[512];

	snprintf(command, sizeof(command), "f=%s%s && mkdir -p \"${f%%/*}\" && echo '%s' > $f", root, name,
		 text);
	if (system(command))
		exit(1);
}

int main(void)
{
	struct memphis_text_buffer text = {0};
	char command[64];

	if (!mkdtemp(root))
		return 1;
	memphis_metadata_add_machine(&text, root);
	is(text.lines, 0, "settings that a machine does not have are left out");
	put("/proc/sys/kernel/numa_balancing", "1");
	put("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
	put("/sys/devices/system/cpu/smt/active", "0");
	put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
	put("/sys/devices/system/cpu/cpufreq/boost", "1");
	put("/sys/devices/system/cpu/intel_pstate/no_turbo", "0");
	put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
	memphis_metadata_add_machine(&text, root);
	ok(text.data && !strcmp(text.data, "numa_balancing 1\nhuge_pages madvise\nsmt 0\ngovernor powersave\n"
					   "boost 1\nno_turbo 0\nclocksource tsc\n"),
	   "each setting has a line; of alternatives, the selected one is reported");
	memphis_text_free(&text);
	snprintf(command, sizeof(command), "rm -r %s", root);
	ok(!system(command), "the test cleans up");
	return finish();
}
