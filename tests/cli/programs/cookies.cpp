// SPDX-License-Identifier: BSD-3-Clause
/* Arrays of classes: with a destructor, with a member that has a destructor, over-aligned, and with neither. */
#include <cstdlib>

namespace
{

struct Particle {
	double x, y, z;
	~Particle()
	{
		x = 0;
	}
};

struct Holder {
	Particle particle;
	long number;
};

struct alignas(64) Wide {
	double low[12];
	double high[4];
	~Wide()
	{
		low[0] = 0;
	}
};

struct Plain {
	double x, y, z;
};

} // namespace

int main(int argc, char **)
{
	std::size_t count = 1000 * static_cast<std::size_t>(argc);
	Particle *particles = new Particle[count];
	Holder *holders = new Holder[count];
	Wide *wides = new Wide[count];
	Plain *plains = new Plain[count];
	double sum = particles[1].x + holders[1].particle.y + wides[1].low[1] + plains[1].z;

	delete[] plains;
	delete[] wides;
	delete[] holders;
	delete[] particles;
	return sum > 1 ? EXIT_FAILURE : EXIT_SUCCESS;
}
