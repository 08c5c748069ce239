// SPDX-License-Identifier: BSD-3-Clause
// Without debug information, the names of symbols are demangled.
// corpus: flags -g0
#include "corpus.h"

namespace ocean
{
double salt[COUNT];
static double heat[COUNT];
} // namespace ocean

struct Model {
	static double mass[COUNT];
};
double Model::mass[COUNT];

template <class T> struct Pool {
	static T cells[COUNT];
};
template <class T> T Pool<T>::cells[COUNT];

inline double *counters()
{
	static double hits[COUNT];

	return hits;
}

int main()
{
	TRUTH(ocean::salt, BYTES, "ocean::salt");
	TRUTH(ocean::heat, BYTES, "ocean::heat");
	TRUTH(Model::mass, BYTES, "Model::mass");
	TRUTH(Pool<double>::cells, BYTES, "Pool<double>::cells");
	TRUTH(counters(), BYTES, "counters()::hits|counters::hits");
}
