// SPDX-License-Identifier: BSD-3-Clause
/*
 * Arrays of structures with arrays of structures in them, and pointers between them. After "//", the members that a line accesses, as in
 * domain.cc. Several are listed where the code has the sum of several indices, of which only the common divisor is known.
 */
#include <cstddef>

struct Vertex {
	double position[3];
	int flags, owner;
};

struct Bounds {
	double low, high;
};

struct Cell {
	long id;
	Vertex corners[4];
	Bounds bounds[2];
	Cell *next;
	int neighbour[5];
	float weight;
};

struct Grid {
	long count;
	Cell *cells, *first;
	double scale[16];
};

__attribute__((noinline)) double of_positions(const Grid *grid)
{
	double sum = 0;

	for (long i = 0; i < grid->count; i++) // ?Grid.count; ?Grid.cells
		for (int k = 0; k < 4; k++)
			sum += grid->cells[i].corners[k].position[1]; // ?Grid.cells; ?Cell.corners.position; ?Cell.corners.position|Cell.bounds.low|Cell.bounds.high
	return sum;
}

__attribute__((noinline)) double of_axes(const Grid *grid, int axis)
{
	double sum = 0;

	for (long i = 0; i < grid->count; i++) { // ?Grid.count; ?Grid.cells
		const Cell *cell = &grid->cells[i]; // ?Grid.cells

		sum += cell->corners[i & 3].position[axis] * grid->scale[i & 15]; // ?Cell.corners.position; ?Cell.corners.position|Cell.bounds.low|Cell.bounds.high; Grid.scale
	}
	return sum;
}

__attribute__((noinline)) long of_flags(const Vertex *corners)
{
	long sum = 0;

	for (int k = 0; k < 4; k++)
		sum += corners[k].flags; // Vertex.flags; ?Vertex.flags|Vertex.owner; ?(outside)
	return sum;
}

__attribute__((noinline)) double of_bounds(const Grid *grid, int which)
{
	double sum = 0;

	for (long i = 0; i < grid->count; i++) // ?Grid.count; ?Grid.cells
		sum += grid->cells[i].bounds[which].high - grid->cells[i].bounds[0].low; // ?Grid.cells; ?Cell.bounds.high; ?Cell.bounds.low; ?Cell.corners.position|Cell.bounds.low|Cell.bounds.high; ?Cell.corners.position|Cell.bounds.high
	return sum;
}

__attribute__((noinline)) float of_ring(const Grid *grid)
{
	const Cell *cell = grid->first; // ?Grid.first
	float sum = 0;

	for (long i = 0; i < grid->count; i++) { // ?Grid.count; ?Cell.next; ?Cell.weight; ?Grid.first; ?(no-variable)
		sum += cell->weight; // ?Cell.weight; ?(no-variable)
		cell = cell->next; // ?Cell.next; ?(no-variable)
	}
	return sum;
}

__attribute__((noinline)) double of_neighbours(const Grid *grid)
{
	double sum = 0;

	for (long i = 0; i < grid->count; i++) { // ?Grid.count; ?Grid.cells
		const Cell &other = grid->cells[grid->cells[i].neighbour[i % 5]]; // ?Grid.cells; ?Cell.neighbour; ?Cell.?; ?(no-variable)

		sum += static_cast<double>(other.id + other.corners[2].owner); // Cell.id; Cell.corners.owner
	}
	return sum;
}

#ifndef WALKS_ONLY
#include <memphis.h>

#include "objects.h"

enum { COUNT = 8000, TIMES = 15 };

int main()
{
	Grid *grid = reinterpret_cast<Grid *>(memory_of("grid", sizeof(Grid), sizeof(Grid)));
	double sum = 0;

	grid->count = COUNT;
	grid->cells = reinterpret_cast<Cell *>(memory_of("cells", COUNT * sizeof(Cell), sizeof(Cell)));
	grid->first = grid->cells;
	for (double &scale : grid->scale)
		scale = 1;
	for (int i = 0; i < COUNT; i++) {
		Cell *cell = &grid->cells[i];

		*cell = {};
		cell->id = i;
		cell->weight = 1;
		cell->next = &grid->cells[(i * 7L + 1) % COUNT];
		for (int k = 0; k < 5; k++)
			cell->neighbour[k] = (i + 3 * k) % COUNT;
	}
	workload_objects();
	memphis_begin("Walks");
	for (int time = 0; time < TIMES; time++) {
		/* The compiler would make one walk and multiply its sum. */
		__asm__ volatile("" : : : "memory");
		sum += of_positions(grid) + of_axes(grid, time % 3) + of_bounds(grid, time & 1) +
		       static_cast<double>(of_ring(grid)) + of_neighbours(grid);
		for (int i = 0; i < COUNT; i++)
			sum += static_cast<double>(of_flags(grid->cells[i].corners));
	}
	memphis_end("Walks");
	std::printf("sum %g\n", sum);
	return 0;
}
#endif
