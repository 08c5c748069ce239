// SPDX-License-Identifier: BSD-3-Clause
// A program without debug information: a row for each call that allocates.
// corpus: flags -g0
#include "corpus.h"

#include <vector>

int main()
{
	double *first = new double[COUNT];
	double *second = new double[COUNT]();
	std::vector<double> third(COUNT);

	TRUTH(first, BYTES, "<program+0x*>|<main+0x*>");
	TRUTH(second, BYTES, "<program+0x*>|<main+0x*> #second");
	TRUTH(third.data(), BYTES, "<program+0x*>|<main+0x*> #third");
}
