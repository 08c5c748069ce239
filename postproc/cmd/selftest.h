/* SPDX-License-Identifier: BSD-3-Clause */
/* memphis node --selftest: runs a known access pattern once for each sampling event, and prints the verdict. */
#ifndef MEMPHIS_CMD_SELFTEST_H
#define MEMPHIS_CMD_SELFTEST_H

#include "base/text.h"
#include "node/node.h"

/*
 * Unless all rows have the verdict OK, the sample files are kept, and `kept` is set to their directory.
 * Otherwise `kept` is not changed. The caller must initialise it as empty.
 */
struct memphis_selftest_request {
	const struct memphis_machine *machine;
	const struct memphis_offer *offer;
	const char *device;
	bool json, strict;
	char kept[256];
};

/*
 * Tests all events of the offer, and appends the result to *text. Returns 0 and sets *verdict, or returns a
 * negative errno with a message in *error if nothing could be tested.
 */
int memphis_selftest(struct memphis_selftest_request *request, enum memphis_verdict *verdict,
		     struct memphis_text *text, struct memphis_error *error);

#endif
