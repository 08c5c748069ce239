// SPDX-License-Identifier: BSD-3-Clause
// Static objects with arrays: of templates, in functions, in an array, and a reference to a static.
#include "corpus.h"

#include <array>

template <class T, int N> struct Fixed {
	T data[N];
};

static Fixed<double, COUNT> fixed;
static Fixed<double, COUNT> several[2];
static double &view = fixed.data[0];

static std::array<double, COUNT> &scratch()
{
	static std::array<double, COUNT> block;

	return block;
}

int main()
{
	TRUTH(&view, BYTES, "fixed");
	TRUTH(several[1].data, BYTES, "several");
	TRUTH(scratch().data(), BYTES, "scratch::block|scratch()::block");
}
