// SPDX-License-Identifier: BSD-3-Clause
// Several objects whose constructors allocate on one line, and objects in an array.
#include "corpus.h"

struct Polynomial {
	double *coefficients;
	explicit Polynomial(size_t count) : coefficients(new double[count])
	{
		corpus_use(coefficients);
	}
};

int main()
{
	Polynomial p(COUNT), q(COUNT);
	Polynomial several[] = {Polynomial(COUNT), Polynomial(COUNT)};

	TRUTH(p.coefficients, BYTES, "p.coefficients|p");
	TRUTH(q.coefficients, BYTES, "q.coefficients|q");
	TRUTH(several[0].coefficients, BYTES, "several[].coefficients|several[0].coefficients|several");
	TRUTH(several[1].coefficients, BYTES, "several[].coefficients|several[1].coefficients|several");
}
