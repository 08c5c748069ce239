// SPDX-License-Identifier: BSD-3-Clause
// A function of a header that is inlined into a call, which happens to be on the line with the number of the function's first line.
#include "corpus.h"

#include "same_line.hpp"

template <class M> __attribute__((noinline)) void make_structure(M &A)
{
	A.columns.clear();
	A.reserve_space(COUNT / 8, 8);
}

int main()
{
	Matrix<double> A;

	make_structure(A);
	TRUTH(A.columns.data(), COUNT * sizeof(int), "A.columns");
	TRUTH(A.values.data(), BYTES, "A.values");
}
