// SPDX-License-Identifier: BSD-3-Clause
/*
 * Heap blocks in C++ that are held by a static pointer, a container, a static object and a local variable.
 * First touched on node 0, read on node 1.
 */
#include "workload.h"

#include <cstdio>
#include <memory>
#include <memphis.hpp>
#include <vector>

namespace
{

const std::size_t ELEMENTS = 1 << 19, ROUNDS = 8;

struct Ocean {
	double *speed;
};

double *salinity;
std::vector<double> temperature;
Ocean ocean;

double sweep(const double *depth)
{
	const double *warm = temperature.data(), *fast = ocean.speed;
	double sum = 0;

	for (std::size_t i = 0; i < ELEMENTS; i++) {
		sum += salinity[i]; /* LINE: salinity */
		sum += warm[i];     /* LINE: temperature */
		sum += fast[i];     /* LINE: speed */
		sum += depth[i];    /* LINE: depth */
	}
	return sum;
}

} // namespace

int main()
{
	double sum = 0;

	workload_cpu(0);
	salinity = new double[ELEMENTS]();
	temperature.resize(ELEMENTS, 1.0);
	ocean.speed = new double[ELEMENTS]();
	double *depth = new double[ELEMENTS]();
	workload_variable("salinity", salinity, ELEMENTS * sizeof(double));
	workload_variable("temperature", temperature.data(), ELEMENTS * sizeof(double));
	workload_variable("speed", ocean.speed, ELEMENTS * sizeof(double));
	workload_variable("depth", depth, ELEMENTS * sizeof(double));
	workload_objects();
	workload_cpu(2);
	{
		memphis::caliper reads("Reads");
		for (std::size_t round = 0; round < ROUNDS; round++)
			sum += sweep(depth);
	}
	std::printf("sum %g\n", sum);
	delete[] depth;
	delete[] ocean.speed;
	delete[] salinity;
	return 0;
}
