// SPDX-License-Identifier: BSD-3-Clause
// A container that is assigned to by copy and swap: the temporary is none of the names of what it becomes.
#include "corpus.h"

#include <utility>

struct Table {
	explicit Table(size_t count) : count_(count), values_(new double[count])
	{
	}
	Table(const Table &other) : count_(other.count_), values_(new double[other.count_])
	{
		for (size_t i = 0; i < count_; i++)
			values_[i] = other.values_[i];
	}
	~Table()
	{
		delete[] values_;
	}
	void swap(Table &other)
	{
		std::swap(count_, other.count_);
		std::swap(values_, other.values_);
	}
	__attribute__((noinline)) Table &operator=(const Table &other)
	{
		Table copied(other); // site: model.rates, model.levels

		swap(copied);
		return *this;
	}

	size_t count_;
	double *values_;
};

struct Model {
	Table rates{1}, levels{1};
};

int main()
{
	Table input(COUNT); // site: input
	Model model;

	corpus_use(input.values_);
	model.rates = input;
	model.levels = input;
	corpus_use(model.rates.values_);
	corpus_use(model.levels.values_);
	TRUTH(input.values_, BYTES, "input|input.values_");
	TRUTH(model.rates.values_, BYTES, "model.rates|model.rates.values_");
	TRUTH(model.levels.values_, BYTES, "model.levels|model.levels.values_");
	return 0;
}
