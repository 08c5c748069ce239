// SPDX-License-Identifier: BSD-3-Clause
/*
 * Containers of C++ whose nodes and strings are small blocks, and a tree whose nodes are allocated one by one. Node 0 builds them, some
 * interleaved, so that blocks of several sites lie next to each other; node 1 walks through them. Lines with a mark allocate.
 * usage: containers FILE     FILE receives the block of each object: start, end and number of the mark, as words of 8 bytes
 */
#include "workload.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <malloc.h>
#include <map>
#include <memphis.hpp>
#include <set>
#include <string>
#include <unordered_map>

enum { COUNT = 12000, PASSES = 40, TEXT = 40, PARTS = 32 };

struct branch {
	int64_t weight;
	branch *low, *high;
};

static std::map<int, int64_t> orders;
static std::list<double> queue;
static std::unordered_map<int, std::string> names;
static std::set<std::string> words;
static branch *root;
static FILE *objects;
static uintptr_t lowest = UINTPTR_MAX, highest; // of all blocks

// A permutation of 0 ... COUNT - 1, as COUNT and 7919 have no common factor.
static int shuffled(int i)
{
	return (int)(i * 7919LL % COUNT);
}

static void fill_orders_and_queue()
{
	for (int i = 0; i < COUNT; i++) {
		orders[shuffled(i)] = i; // LINE: orders
		if (i % 3 == 0)
			queue.push_back(i); // LINE: queue
	}
}

static void fill_names()
{
	for (int i = 0; i < COUNT; i++) {
		std::string text(TEXT + i % 16, 'n');        // LINE: name_text
		names.emplace(shuffled(i), std::move(text)); // LINE: names
	}
}

static void fill_words()
{
	for (int i = 0; i < COUNT; i++) {
		std::string text = std::to_string(shuffled(i));
		text.resize(TEXT + i % 24, 'w'); // LINE: word_text
		words.insert(std::move(text));   // LINE: words
	}
}

static void grow()
{
	for (int i = 0; i < COUNT; i++) {
		branch **at = &root;

		while (*at)
			at = shuffled(i) * 31 % COUNT < (*at)->weight ? &(*at)->low : &(*at)->high;
		*at = new branch{shuffled(i) * 31 % COUNT, nullptr, nullptr}; // LINE: branches
	}
}

static void put(const void *block, uint64_t mark)
{
	uint64_t start = (uint64_t)(uintptr_t)block;
	uint64_t entry[] = {start, start + malloc_usable_size((void *)block), mark};

	if (fwrite(entry, sizeof(entry), 1, objects) != 1)
		workload_fail("fwrite");
	lowest = std::min(lowest, start);
	highest = std::max(highest, entry[1]);
}

// A value is in its node, behind the links of the container.
static const void *node(const void *value, size_t links)
{
	return (const char *)value - links;
}

static void put_branches(const branch *at)
{
	for (; at; at = at->high) {
		put(at, 6);
		put_branches(at->low);
	}
}

static void put_all()
{
	for (const auto &one : orders)
		put(node(&one, 32), 0);
	for (const auto &one : queue)
		put(node(&one, 16), 1);
	for (const auto &one : names) {
		put(node(&one, 8), 2);
		put(one.second.data(), 3);
	}
	for (const auto &one : words) {
		put(node(&one, 32), 4);
		put(one.data(), 5);
	}
	put_branches(root);
}

static int64_t weigh(const branch *at)
{
	int64_t sum = 0;

	for (; at; at = at->high)
		sum += at->weight + weigh(at->low);
	return sum;
}

/* One region for each container, by which the test tells their samples apart. */
static int64_t walk()
{
	int64_t sum = 0;

	{
		memphis::caliper region("Names");
		for (const auto &one : names)
			sum += one.second[(size_t)one.first % TEXT];
	}
	{
		memphis::caliper region("Queue");
		for (double one : queue)
			sum += (int64_t)one;
	}
	{
		memphis::caliper region("Words");
		for (const auto &one : words)
			sum += one[one.size() / 2];
	}
	{
		memphis::caliper region("Orders");
		for (const auto &one : orders)
			sum += one.second;
	}
	memphis::caliper region("Branches");
	return sum + weigh(root);
}

int main(int argc, char **argv)
{
	int64_t sum = 0;

	objects = argc == 2 ? fopen(argv[1], "w") : nullptr;
	if (!objects)
		workload_fail("objects");
	workload_objects();
	workload_cpu(0);
	fill_orders_and_queue();
	fill_names();
	fill_words();
	grow();
	put_all();
	if (fclose(objects))
		workload_fail("fclose");
	for (uintptr_t part = 0, bytes = (highest - lowest) / PARTS; part < PARTS; part++)
		workload_variable("blocks", (const void *)(lowest + part * bytes), bytes);
	workload_cpu(2);
	{
		memphis::caliper walking("Walk");
		for (int i = 0; i < PASSES; i++)
			sum += walk();
	}
	printf("sum %lld\n", (long long)sum);
	return 0;
}
