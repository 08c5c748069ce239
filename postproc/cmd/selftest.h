/* SPDX-License-Identifier: BSD-3-Clause */
/* memphis node --selftest: runs the pattern once for each sampling event, and prints the verdict. */
#ifndef MEMPHIS_CMD_SELFTEST_H
#define MEMPHIS_CMD_SELFTEST_H

#include "base/text.h"
#include "node/node.h"

/* The files of the samples are kept if a row failed or warned; `kept` is then their directory, else empty. */
struct memphis_selftest_request {
	const struct memphis_machine *machine;
	const struct memphis_offer *offer;
	const char *device;
	bool json, strict;
	char kept[256];
};

/*
 * Tests all events that the offer contains, and appends the result to *text. Returns 0 and the verdict, or a negative errno if nothing could be
 * tested.
 */
int memphis_selftest(struct memphis_selftest_request *request, enum memphis_verdict *verdict,
		     struct memphis_text *text, struct memphis_error *error);

#endif
