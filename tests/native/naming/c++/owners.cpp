// SPDX-License-Identifier: BSD-3-Clause
/* Blocks that a vector, a unique_ptr, a member of a class in a namespace and a static of a template hold. */
#include "native.h"

#include <memory>
#include <vector>

namespace
{

const std::size_t COUNT = 1 << 14, BYTES = COUNT * sizeof(double);

namespace ocean
{
struct Model {
	std::vector<double> depth = std::vector<double>(COUNT, 1.0);
};
Model model;
} // namespace ocean

template <typename T> struct Pool {
	static T *cells;
};
template <typename T> T *Pool<T>::cells = new T[COUNT]();

__attribute__((noinline)) double sum_of(const std::vector<double> &warm, const double *cold)
{
	double sum = 0;

	for (std::size_t i = 0; i < COUNT; i++) {
		sum += warm[i];                // expect: heap:warm
		sum += cold[i];                // expect: heap:cold
		sum += ocean::model.depth[i];  // expect: heap:model.depth
		sum += Pool<double>::cells[i]; // expect: heap:cells
	}
	return sum;
}

} // namespace

int main()
{
	std::vector<double> warm(COUNT, 1.0);
	std::unique_ptr<double[]> cold(new double[COUNT]());

	native_watch(warm.data(), BYTES, "heap:warm");
	native_watch(cold.get(), BYTES, "heap:cold");
	native_watch(ocean::model.depth.data(), BYTES, "heap:model.depth");
	native_watch(Pool<double>::cells, BYTES, "heap:cells");
	return sum_of(warm, cold.get()) == 0;
}
