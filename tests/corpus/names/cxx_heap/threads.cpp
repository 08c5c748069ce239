// SPDX-License-Identifier: BSD-3-Clause
// Blocks of threads, of asynchronous calls, and of OpenMP regions.
// corpus: flags -fopenmp
#include "corpus.h"

#include <future>
#include <memory>
#include <thread>
#include <vector>

static std::vector<double> results;

int main()
{
	std::thread thread([] {
		std::vector<double> own(COUNT); // site: own

		results.resize(COUNT); // site: results
		TRUTH(own.data(), BYTES, "own");
	});
	auto later = std::async(std::launch::async, [] {
		auto made = std::make_unique<double[]>(COUNT); // site: made

		TRUTH(made.get(), BYTES, "made");
		return made;
	});

	thread.join();
	TRUTH(later.get().get(), BYTES, "made");
	TRUTH(results.data(), BYTES, "results");
#pragma omp parallel num_threads(2)
	{
		std::vector<double> mine(COUNT);   // site: mine
		double *plain = new double[COUNT]; // site: plain

		TRUTH(mine.data(), BYTES, "mine");
		TRUTH(plain, BYTES, "plain");
		delete[] plain;
	}
}
