// SPDX-License-Identifier: BSD-3-Clause
// Statics of one name: in overloads, in functions of two classes, in an anonymous namespace and in a namespace.
#include "corpus.h"

namespace
{
double hidden[COUNT];
}

namespace ocean
{
double hidden[COUNT];
namespace deep
{
static double hidden[COUNT];
}
} // namespace ocean

double *local(int)
{
	static double buffer[COUNT];

	return buffer;
}

double *local(double)
{
	static double buffer[COUNT];

	return buffer;
}

struct First {
	static double *get()
	{
		static double inner[COUNT];

		return inner;
	}
};

struct Second {
	static double *get()
	{
		static double inner[COUNT];

		return inner;
	}
	double *own()
	{
		static double inner[COUNT];

		return inner;
	}
};

int main()
{
	TRUTH(hidden, BYTES, "(anonymous namespace)::hidden|hidden");
	TRUTH(ocean::hidden, BYTES, "ocean::hidden");
	TRUTH(ocean::deep::hidden, BYTES, "ocean::deep::hidden");
	TRUTH(local(1), BYTES, "local(int)::buffer|local::buffer #int");
	TRUTH(local(1.0), BYTES, "local(double)::buffer|local::buffer #double");
	TRUTH(First::get(), BYTES, "First::get::inner|First::get()::inner");
	TRUTH(Second::get(), BYTES, "Second::get::inner|Second::get()::inner");
	TRUTH(Second().own(), BYTES, "Second::own::inner|Second::own()::inner");
}
