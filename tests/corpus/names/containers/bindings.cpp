// SPDX-License-Identifier: BSD-3-Clause
// Structured bindings, tuples, optional values, lambdas that own their data and type-erased functions.
#include "corpus.h"

#include <functional>
#include <optional>
#include <tuple>
#include <vector>

__attribute__((noinline)) static std::pair<std::vector<double>, std::vector<double>> make(size_t count)
{
	std::vector<double> left(count);  // site: left
	std::vector<double> right(count); // site: right

	corpus_use(left.data());
	return {std::move(left), std::move(right)};
}

int main()
{
	auto [near, far] = make(COUNT);                                            // site: left, right
	std::tuple<std::vector<double>, int> tuple(std::vector<double>(COUNT), 1); // site: tuple
	std::optional<std::vector<double>> maybe;
	std::vector<double> captured(COUNT); // site: captured
	auto sum = [&captured] { TRUTH(captured.data(), BYTES, "captured"); };

	maybe.emplace(COUNT); // site: maybe
	TRUTH(near.data(), BYTES, "left|near");
	TRUTH(far.data(), BYTES, "right|far");
	TRUTH(std::get<0>(tuple).data(), BYTES, "tuple");
	TRUTH(maybe->data(), BYTES, "maybe");
	sum();
}
