// SPDX-License-Identifier: BSD-3-Clause
// Anonymous namespaces, statics and classes of one name in two units.
// corpus: units two_units_other.cpp
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

void other();

int main()
{
	TRUTH(hidden, BYTES, "(anonymous namespace)::hidden|hidden #main");
	TRUTH(Cache::cells, BYTES, "(anonymous namespace)::Cache::cells|Cache::cells #main");
	TRUTH(table, BYTES, "table #main");
	other();
}
