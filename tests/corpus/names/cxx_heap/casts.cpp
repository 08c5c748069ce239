// SPDX-License-Identifier: BSD-3-Clause
// Casts of all kinds around an allocation, and placement in a block.
#include "corpus.h"

#include <cstdlib>
#include <new>

struct Cell {
	double values[4];
};

int main()
{
	auto *first = static_cast<double *>(std::malloc(BYTES));                      // site: first
	auto second = reinterpret_cast<double *>(std::calloc(COUNT, sizeof(double))); // site: second
	double *third = (double *)::operator new(BYTES);                              // site: third
	auto *fourth = new (std::malloc(BYTES)) Cell[COUNT / 4];                      // site: fourth
	double(*fifth)[COUNT / 8] = new double[8][COUNT / 8];                         // site: fifth
	double *const &sixth = new double[COUNT];                                     // site: sixth
	double *seventh{new double[COUNT]};                                           // site: seventh
	double *eighth(new double[COUNT]);                                            // site: eighth

	TRUTH(first, BYTES, "first");
	TRUTH(second, BYTES, "second");
	TRUTH(third, BYTES, "third");
	TRUTH(fourth, BYTES, "fourth");
	TRUTH(fifth, BYTES, "fifth");
	TRUTH(sixth, BYTES, "sixth");
	TRUTH(seventh, BYTES, "seventh");
	TRUTH(eighth, BYTES, "eighth");
}
