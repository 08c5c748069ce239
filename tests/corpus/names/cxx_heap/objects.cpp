// SPDX-License-Identifier: BSD-3-Clause
// Objects and arrays of objects: by new, make_shared and with destructors, whose arrays have a cookie.
#include "corpus.h"

#include <memory>

struct Particle {
	double x, y, z, mass;
	~Particle()
	{
		mass = 0;
	}
};

struct Block {
	double cells[COUNT];
};

int main()
{
	Particle *particles = new Particle[COUNT / 4]; // site: particles
	Block *block = new Block;                      // site: block
	auto unique = std::make_unique<Block>();       // site: unique
	auto shared = std::make_shared<Block>();       // site: shared
	std::shared_ptr<Block> given(new Block);       // site: given

	TRUTH(particles, BYTES, "particles");
	TRUTH(block, BYTES, "block");
	TRUTH(unique.get(), BYTES, "unique");
	TRUTH(shared.get(), BYTES, "shared");
	TRUTH(given.get(), BYTES, "given");
}
