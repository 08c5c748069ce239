// SPDX-License-Identifier: BSD-3-Clause
// Wrappers of C++: functions that return owners, factories of classes, templates that allocate, and a class's operator new.
#include "corpus.h"

#include <memory>

#define SEPARATE __attribute__((noinline))

template <class T> SEPARATE T *allocate(size_t count)
{
	return static_cast<T *>(std::malloc(count * sizeof(T)));
}

SEPARATE static std::unique_ptr<double[]> make(size_t count)
{
	return std::unique_ptr<double[]>(new double[count]);
}

struct Block {
	double cells[COUNT];

	SEPARATE static void *operator new(size_t bytes)
	{
		return std::aligned_alloc(64, bytes);
	}
	static void operator delete(void *block)
	{
		std::free(block);
	}
	SEPARATE static Block *create()
	{
		return new Block;
	}
};

int main()
{
	double *first = allocate<double>(COUNT);  // site: first
	double *second = allocate<double>(COUNT); // site: second
	long *third = allocate<long>(COUNT);      // site: third
	auto fourth = make(COUNT);                // site: fourth
	auto fifth = make(COUNT);                 // site: fifth
	Block *sixth = new Block;                 // site: sixth
	Block *seventh = Block::create();         // site: seventh

	TRUTH(first, BYTES, "first");
	TRUTH(second, BYTES, "second");
	TRUTH(third, BYTES, "third");
	TRUTH(fourth.get(), BYTES, "fourth");
	TRUTH(fifth.get(), BYTES, "fifth");
	TRUTH(sixth, BYTES, "sixth");
	TRUTH(seventh, BYTES, "seventh");
}
