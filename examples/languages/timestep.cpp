/* SPDX-License-Identifier: BSD-3-Clause */
/* C++: calipers that end with their scope, and a name for a container. usage: timestep [ELEMENTS [STEPS]] */
#include <memphis.hpp>

#include <cstdio>
#include <cstdlib>
#include <vector>

static double advect(const std::vector<double> &field)
{
	memphis::caliper caliper("advect");
	double sum = 0;

	for (std::size_t i = 1; i < field.size(); i++)
		sum += field[i] - field[i - 1];
	return sum;
}

int main(int argc, char **argv)
{
	std::vector<double> field(argc > 1 ? std::strtoul(argv[1], nullptr, 0) : 1000000, 1.0);
	int steps = argc > 2 ? std::atoi(argv[2]) : 5;
	double sum = 0;

	memphis::name(field, "temperature");
	{
		memphis::caliper loop("TimeLoop");

		for (int step = 0; step < steps; step++)
			sum += advect(field);
	}
	std::printf("sum %g\n", sum + field[0]);
	return 0;
}
