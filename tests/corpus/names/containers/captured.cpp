// SPDX-License-Identifier: BSD-3-Clause
// What lambdas and type-erased functions own.
#include "corpus.h"

#include <functional>
#include <memory>
#include <vector>

int main()
{
	auto owner = [values = std::vector<double>(COUNT)] { // site: values
		TRUTH(values.data(), BYTES, "values|owner.values|owner");
	}; // site: values
	std::function<void()> erased =
		[buffer = std::make_shared<std::vector<double>>(COUNT)] { // site: buffer
			TRUTH(buffer->data(), BYTES, "buffer|erased|erased.buffer");
		}; // site: buffer

	owner();
	erased();
}
