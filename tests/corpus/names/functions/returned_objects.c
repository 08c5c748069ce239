// SPDX-License-Identifier: BSD-3-Clause
// Members of an object that a function makes, which another function keeps in an object that it makes and returns.
#include "corpus.h"

struct atoms {
	double *r, *p;
};

struct simulation {
	struct atoms *atoms;
	double *energy;
};

static void *allocate(size_t bytes)
{
	void *memory = malloc(bytes);

	corpus_use(memory);
	return memory;
}

__attribute__((noinline)) static struct atoms *make_atoms(size_t count)
{
	struct atoms *atoms = allocate(sizeof(*atoms));

	atoms->r = allocate(count * sizeof(double));
	atoms->p = allocate(count * sizeof(double));
	return atoms;
}

__attribute__((noinline)) static struct simulation *make_simulation(size_t count)
{
	struct simulation *sim = allocate(sizeof(*sim));

	sim->atoms = make_atoms(count);                 // site: sim->atoms->r, sim->atoms->p
	sim->energy = allocate(count * sizeof(double)); // site: sim->energy
	return sim;
}

int main(void)
{
	struct simulation *sim = make_simulation(COUNT); // site: sim->energy

	TRUTH(sim->atoms->r, BYTES, "sim->atoms->r");
	TRUTH(sim->atoms->p, BYTES, "sim->atoms->p");
	TRUTH(sim->energy, BYTES, "sim->energy");
}
