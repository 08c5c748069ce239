// SPDX-License-Identifier: BSD-3-Clause
/* Names of the verdicts, and a helper function for checks. */
#include "node/node.h"

const char *const memphis_verdict_names[] = {
	[MEMPHIS_VERDICT_OK] = "ok",
	[MEMPHIS_VERDICT_WARN] = "warn",
	[MEMPHIS_VERDICT_FAIL] = "fail",
	[MEMPHIS_VERDICT_UNKNOWN] = "unknown",
};

enum memphis_verdict memphis_check_unknown(struct memphis_check_result *finding, const char *why)
{
	memphis_text_put(&finding->evidence, why);
	return MEMPHIS_VERDICT_UNKNOWN;
}
