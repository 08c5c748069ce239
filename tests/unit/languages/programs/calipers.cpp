/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls everything that memphis.hpp offers: each way to leave a scope, each kind of memory. */
#include <memphis.hpp>

#include <array>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

static void throws()
{
	memphis::caliper caliper("Throws");

	throw std::runtime_error("caught");
}

static int returns(int early)
{
	memphis::caliper caliper(std::string("Returns ") + std::to_string(early));

	if (early)
		return 1;
	memphis::caliper inner("Inner");
	return 2;
}

static void closes()
{
	memphis::caliper caliper("Closes");

	std::printf("status %d\n", caliper.status());
	std::printf("close %d\n", caliper.close());
	std::printf("close %d\n", caliper.close());
	std::printf("status %d\n", caliper.status());
}

static void names()
{
	std::vector<double> vector(100, 1.0);
	std::array<short, 8> array;
	const std::vector<char> empty;
	int numbers[3][4];

	std::memset(&array, 0xaa, sizeof(array));
	std::memset(numbers, 0xbb, sizeof(numbers));
	memphis::name(vector, "vector");
	memphis::name(array, std::string("array"));
	memphis::name(numbers, "numbers");
	memphis::name(numbers[1], "row");
	memphis::name(&numbers[0][1], 2, "pair");
	const std::array<short, 8> &reference = array;
	memphis::name(reference, "reference");
}

static void regions()
{
	static const memphis::region step("Step"), named(std::string("Named"));

	for (int i = 0; i < 2; i++) {
		memphis::caliper caliper(step);
		memphis::caliper inner(named);

		std::printf("status %d\n", caliper.status());
		if (i)
			std::printf("close %d\n", caliper.close());
	}
	memphis::pause pause;
	std::printf("status %d\n", pause.status());
}

int main()
{
	{
		memphis::caliper loop("TimeLoop");

		try {
			throws();
		} catch (const std::runtime_error &) {
			std::printf("caught\n");
		}
		returns(1);
		returns(0);
		std::thread([] { memphis::caliper caliper("Thread"); }).join();
	}
	closes();
	regions();
	names();
	std::printf("configure %d\n", memphis::configure("period", "65536"));
	std::printf("flush %d\n", memphis::flush());
	std::printf("[%s] [%s]\n", memphis::status().c_str(), memphis::version().c_str());
	return 0;
}
