// SPDX-License-Identifier: BSD-3-Clause
// Statics of lambdas, of inline functions and of constructors.
#include "corpus.h"

inline double *counters()
{
	static double hits[COUNT];

	return hits;
}

struct Model {
	double *cells;
	Model()
	{
		static double first[COUNT];

		cells = first;
	}
};

int main()
{
	auto make = [] {
		static double inside[COUNT];

		return inside;
	};
	auto other = [](int) {
		static double inside[COUNT];

		return inside;
	};
	Model model;

	TRUTH(make(), BYTES, "inside|main*::inside #first");
	TRUTH(other(1), BYTES, "inside|main*::inside #second");
	TRUTH(counters(), BYTES, "counters::hits|counters()::hits");
	TRUTH(model.cells, BYTES, "Model::Model::first|Model::first|Model::Model()::first");
}
