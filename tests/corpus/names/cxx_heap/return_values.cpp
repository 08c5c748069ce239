// SPDX-License-Identifier: BSD-3-Clause
// Owners that functions return, take by value, exchange and fill by reference.
#include "corpus.h"

#include <memory>
#include <utility>
#include <vector>

#define SEPARATE __attribute__((noinline))

SEPARATE static std::vector<double> make(size_t count)
{
	return std::vector<double>(count, 1.0);
}

SEPARATE static void fill(std::vector<double> &values, size_t count)
{
	values.assign(count, 2.0);
}

struct Model {
	std::vector<double> wind, heat;
	explicit Model(std::vector<double> wind) : wind(std::move(wind))
	{
	}
};

int main()
{
	std::vector<double> first = make(COUNT);                // site: first
	std::vector<double> second = make(COUNT);               // site: second
	std::vector<double> third, fourth(COUNT), fifth(COUNT); // site: fourth, fifth
	Model model(make(COUNT));                               // site: model.wind

	fill(third, COUNT);      // site: third
	fill(model.heat, COUNT); // site: model.heat
	TRUTH(first.data(), BYTES, "first");
	TRUTH(second.data(), BYTES, "second");
	TRUTH(third.data(), BYTES, "third");
	TRUTH(fourth.data(), BYTES, "fourth");
	TRUTH(fifth.data(), BYTES, "fifth");
	TRUTH(model.wind.data(), BYTES, "model.wind|model");
	TRUTH(model.heat.data(), BYTES, "model.heat");
}
