// SPDX-License-Identifier: BSD-3-Clause
// Constructors that allocate: by initialisers, casts, braces, in their body, out of line, and by delegation.
#include "corpus.h"

#include <memory>
#include <vector>

struct Initialised {
	double *data;
	explicit Initialised(size_t count) : data(new double[count])
	{
		corpus_use(data);
	}
};

struct Cast {
	double *cells;
	explicit Cast(size_t count) : cells(static_cast<double *>(malloc(count * sizeof(double))))
	{
		corpus_use(cells);
	}
};

struct Separate {
	size_t count;
	double *values;
	explicit Separate(size_t count);
};

__attribute__((noinline)) Separate::Separate(size_t count) : count(count), values(new double[count])
{
	corpus_use(values);
}

struct Owning {
	std::unique_ptr<double[]> owned;
	explicit Owning(size_t count) : owned(std::make_unique<double[]>(count))
	{
	}
};

struct Braced {
	double *brace;
	explicit Braced(size_t count) : brace{new double[count]}
	{
		corpus_use(brace);
	}
};

template <class T> struct Assigned {
	T *pointer;
	explicit Assigned(size_t count)
	{
		pointer = new T[count];
		corpus_use(pointer);
	}
};

struct Delegating {
	double *base;
	explicit Delegating(size_t count) : Delegating(new double[count], count)
	{
	}
	Delegating(double *block, size_t) : base(block)
	{
		corpus_use(base);
	}
};

int main()
{
	Initialised one(COUNT);      // site: one.data
	Cast two(COUNT);             // site: two.cells
	Separate three(COUNT);       // site: three.values
	Owning four(COUNT);          // site: four.owned
	Braced five(COUNT);          // site: five.brace
	Assigned<double> six(COUNT); // site: six.pointer
	Delegating seven(COUNT);     // site: seven.base
	Initialised eight(COUNT);    // site: eight.data

	TRUTH(one.data, BYTES, "one.data|one");
	TRUTH(two.cells, BYTES, "two.cells|two");
	TRUTH(three.values, BYTES, "three.values|three");
	TRUTH(four.owned.get(), BYTES, "four.owned|four");
	TRUTH(five.brace, BYTES, "five.brace|five");
	TRUTH(six.pointer, BYTES, "six.pointer|six");
	TRUTH(seven.base, BYTES, "seven.base|seven");
	TRUTH(eight.data, BYTES, "eight.data|eight");
}
