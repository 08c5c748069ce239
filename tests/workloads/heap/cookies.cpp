// SPDX-License-Identifier: BSD-3-Clause
/*
 * Arrays of classes with a destructor: the C++ ABI stores the element count (the array cookie) in front of
 * the elements. First touched on node 0, read on node 1.
 */
#include "workload.h"

#include <cstdio>
#include <memphis.hpp>

namespace
{

const std::size_t PARTICLES = 1 << 18, WIDES = 1 << 17, ROUNDS = 24;

struct Particle {
	double x = 1, y = 2, z = 3;
	~Particle()
	{
		gone++;
	}
	static std::size_t gone;
};

std::size_t Particle::gone;

struct alignas(64) Wide {
	double low[12] = {};
	double high[4] = {};
	~Wide()
	{
		Particle::gone++;
	}
};

double sweep(const Particle *particles, const Wide *wides)
{
	double sum = 0;

	for (std::size_t i = 0; i < PARTICLES; i++)
		sum += particles[i].x; /* LINE: x */
	for (std::size_t i = 0; i < PARTICLES; i++)
		sum += particles[i].y; /* LINE: y */
	for (std::size_t i = 0; i < PARTICLES; i += 2)
		sum += particles[i].z; /* LINE: z */
	for (std::size_t i = 0; i < WIDES; i++)
		sum += wides[i].low[i % 8]; /* LINE: low */
	for (std::size_t i = 0; i < WIDES; i++)
		sum += wides[i].high[i % 4]; /* LINE: high */
	return sum;
}

} // namespace

int main()
{
	double sum = 0;

	workload_cpu(0);
	Particle *particles = new Particle[PARTICLES];
	Wide *wides = new Wide[WIDES];
	workload_variable("particles", particles, PARTICLES * sizeof(*particles));
	workload_variable("wides", wides, WIDES * sizeof(*wides));
	workload_objects();
	workload_cpu(2);
	{
		memphis::caliper reads("Reads");
		for (std::size_t round = 0; round < ROUNDS; round++)
			sum += sweep(particles, wides);
	}
	std::printf("sum %g\n", sum);
	delete[] wides;
	delete[] particles;
	return 0;
}
