// SPDX-License-Identifier: BSD-3-Clause
// Blocks of different sizes that local variables of C++ own.
#include <memory>
#include <vector>

extern "C" void touch(double *block);

static void owners(size_t n)
{
	double *raw = new double[1001], *other = new double[1002];
	std::unique_ptr<double[]> one(new double[1003]);
	auto two = std::make_unique<double[]>(1004);
	std::vector<double> list(1005), list2(1006);

	touch(raw);
	touch(other);
	touch(one.get());
	touch(two.get());
	touch(list.data());
	touch(list2.data());
	list.reserve(n);
	touch(list.data());
}

int main()
{
	owners(1007);
	return 0;
}
