// SPDX-License-Identifier: BSD-3-Clause
// Static objects whose memory is released long before the end of a short run.
#include "corpus.h"

#include <vector>

static std::vector<double> phases[96];

__attribute__((noinline)) static void make(std::vector<double> &values, size_t count)
{
	values.resize(count); // site: phases[*]
}

int main()
{
	corpus_is_short();
	for (auto &phase : phases)
		make(phase, COUNT / 4); // site: phases[*]
	for (auto &phase : phases)
		TRUTH(phase.data(), BYTES / 4, "phases[*]");
	for (auto &phase : phases)
		std::vector<double>().swap(phase);
}
