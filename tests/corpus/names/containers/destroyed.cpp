// SPDX-License-Identifier: BSD-3-Clause
// Static objects that are destroyed at the end of a short run.
#include "corpus.h"

#include <memory>
#include <vector>

struct Model {
	std::vector<double> wind;
	std::unique_ptr<double[]> heat;
};

static std::vector<double> table;
static Model model;

__attribute__((noinline)) static void make(std::vector<double> &values, size_t count)
{
	values.resize(count);
}

int main()
{
	corpus_is_short();
	make(table, COUNT);                             // site: table
	make(model.wind, COUNT);                        // site: model.wind
	model.heat = std::make_unique<double[]>(COUNT); // site: model.heat
	TRUTH(table.data(), BYTES, "table");
	TRUTH(model.wind.data(), BYTES, "model.wind");
	TRUTH(model.heat.get(), BYTES, "model.heat");
}
