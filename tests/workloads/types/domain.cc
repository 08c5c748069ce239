// SPDX-License-Identifier: BSD-3-Clause
/*
 * A structure of arrays as in codes on unstructured meshes: a class whose members are vectors and pointers, and loops over its elements through
 * functions that return references. After "//", the members that a line accesses, for the test of types (tests/unit/postproc/name/access_types_test.c);
 * not every compiler makes an access that follows a "?". Without optimisation, the references are results of calls, which have no variable. The type of a vector's first element is in the member that points to it.
 */
#include <cstddef>
#include <vector>

class Domain
{
public:
	explicit Domain(long elements);

	long count() const { return m_count; } // ?Domain.m_count
	double &x(long i) { return m_x[i]; } // ?Domain.m_x._M_impl._M_start; ?int
	double &y(long i) { return m_y[i]; } // ?Domain.m_y._M_impl._M_start
	double &volume(long i) { return m_volume[i]; } // ?Domain.m_volume._M_impl._M_start
	double &force(long i) { return m_force[i]; } // ?Domain.m_force
	const int *nodes(long element) const { return &m_nodes[4 * element]; } // ?Domain.m_nodes._M_impl._M_start; ?int

private:
	long m_count;
	std::vector<double> m_x, m_y, m_volume;
	std::vector<int> m_nodes;
	double *m_force;
};

Domain::Domain(long elements)
	: m_count(elements), m_x(elements), m_y(elements), m_volume(elements), m_nodes(4 * elements), m_force(new double[elements])
{
	for (long i = 0; i < elements; i++) {
		m_x[i] = m_y[i] = m_volume[i] = m_force[i] = 1;
		for (long k = 0; k < 4; k++)
			m_nodes[4 * i + k] = static_cast<int>((7 * i + 3 * k) % elements);
	}
}

/* In each of these loops, the compiler may keep the pointers of the vectors in registers, or load them again after each store. */
__attribute__((noinline)) void set_forces(Domain &domain)
{
	for (long i = 0; i < domain.count(); i++)
		domain.force(i) = domain.x(i) * domain.volume(i) + domain.y(i); // ?double; ?(no-variable)
}

__attribute__((noinline)) double sum_of_nodes(Domain &domain)
{
	double sum = 0;

	for (long i = 0; i < domain.count(); i++) {
		const int *nodes = domain.nodes(i);

		for (long k = 0; k < 4; k++)
			sum += domain.x(nodes[k]); // ?int; ?double; ?(no-variable)
	}
	return sum;
}

__attribute__((noinline)) void move(Domain &domain, double by)
{
	for (long i = 0; i < domain.count(); i++) {
		domain.x(i) += by * domain.force(i); // ?double; ?(no-variable)
		domain.y(i) -= by * domain.force(i); // ?double; ?(no-variable)
	}
}

#ifndef WALKS_ONLY
#include <memphis.h>
#include <new>

#include "objects.h"

enum { COUNT = 60000, TIMES = 6 };

int main()
{
	Domain *domain = new (memory_of("domain", sizeof(Domain), sizeof(Domain))) Domain(COUNT);
	double sum = 0;

	print_objects("x", &domain->x(0), 8 * COUNT, 8);
	print_objects("y", &domain->y(0), 8 * COUNT, 8);
	print_objects("volume", &domain->volume(0), 8 * COUNT, 8);
	print_objects("force", &domain->force(0), 8 * COUNT, 8);
	print_objects("nodes", const_cast<int *>(domain->nodes(0)), 16 * COUNT, 4);
	workload_objects();
	memphis_begin("Walks");
	for (int time = 0; time < TIMES; time++) {
		set_forces(*domain);
		sum += sum_of_nodes(*domain);
		move(*domain, 0.001);
	}
	memphis_end("Walks");
	std::printf("sum %g\n", sum);
	return 0;
}
#endif
