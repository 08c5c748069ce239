// SPDX-License-Identifier: BSD-3-Clause
#include "corpus.h"

namespace
{
double hidden[COUNT];

struct Cache {
	static double cells[COUNT];
};
double Cache::cells[COUNT];
} // namespace

static double table[COUNT] = {1};

void other()
{
	TRUTH(hidden, BYTES, "(anonymous namespace)::hidden|hidden #other");
	TRUTH(Cache::cells, BYTES, "(anonymous namespace)::Cache::cells|Cache::cells #other");
	TRUTH(table, BYTES, "table #other");
}
