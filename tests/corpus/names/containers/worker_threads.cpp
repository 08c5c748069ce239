// SPDX-License-Identifier: BSD-3-Clause
// Lambdas in threads that fill captured and shared buffers, futures, and a thread pool's per-worker scratch.
#include "corpus.h"

#include <future>
#include <memory>
#include <thread>
#include <vector>

struct Worker {
	std::vector<double> scratch;
	void run()
	{
		scratch.resize(COUNT); // site: scratch
	}
};

int main()
{
	std::vector<std::vector<double>> partial(2);
	std::vector<Worker> workers(2);
	std::vector<std::thread> threads;
	auto future = std::async(std::launch::async, [] {
		std::vector<double> result(COUNT);
		corpus_use(result.data());
		return result;
	});
	auto result = future.get();

	for (int i = 0; i < 2; i++)
		threads.emplace_back([&, i] {
			partial[i].assign(COUNT, i);
			workers[i].run();
		});
	for (auto &thread : threads)
		thread.join();
	TRUTH(result.data(), BYTES, "result");
	for (int i = 0; i < 2; i++) {
		TRUTH(partial[i].data(), BYTES, "partial[]");
		TRUTH(workers[i].scratch.data(), BYTES, "workers[].scratch|*scratch");
	}
}
