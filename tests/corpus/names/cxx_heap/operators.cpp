// SPDX-License-Identifier: BSD-3-Clause
// A program that replaces operator new.
#include "corpus.h"

#include <new>
#include <vector>

void *operator new(size_t bytes)
{
	void *block = std::malloc(bytes);

	if (!block)
		throw std::bad_alloc();
	return block;
}

void operator delete(void *block) noexcept
{
	std::free(block);
}

void operator delete(void *block, size_t) noexcept
{
	std::free(block);
}

static double *kept;

int main()
{
	double *plain = new double[COUNT]; // site: plain
	std::vector<double> values(COUNT); // site: values

	kept = new double[COUNT]; // site: kept
	TRUTH(plain, BYTES, "plain");
	TRUTH(values.data(), BYTES, "values");
	TRUTH(kept, BYTES, "kept");
}
