/* SPDX-License-Identifier: BSD-3-Clause */
/* A seed: namespaces, members that are defined outside, templates, and their allocations. */
extern "C" void *malloc(unsigned long);

namespace ocean
{
template <typename T> struct array {
	T *data;
	unsigned long size;
	explicit array(unsigned long n) : data(new T[n]), size(n)
	{
	}
	T &operator[](unsigned long i)
	{
		return data[i];
	}
};

struct grid {
	static double *depth;
	static int count;
	array<double> *cells, *edges[2];
	union {
		double *u;
		long v;
	};
};

double *grid::depth;
int grid::count;

namespace
{
grid hidden;
}

double *use(grid &g, unsigned long n)
{
	static array<float> scratch(16);
	auto *p = static_cast<double *>(malloc(n * sizeof(double)));

	grid::depth = new double[n];
	g.cells->data = (double *)malloc(n);
	g.edges[n & 1]->data[0] = scratch[0];
	hidden.u = p ? p : reinterpret_cast<double *>(malloc(8));
	return ::malloc(n) ? grid::depth : nullptr;
}
} // namespace ocean
