// SPDX-License-Identifier: BSD-3-Clause
// Blocks that members of classes hold, whose names on the allocating lines do not say so. touch() is in touch.c.
#include <vector>

extern "C" void touch(void *);

namespace ocean
{
class Domain
{
	double *m_x, *m_y;
	std::vector<double> m_z;

      public:
	explicit Domain(int n)
	{
		m_x = new double[n + 1];
		touch(m_x);
		allocate(n);
	}
	void allocate(int n);
	void hide(int n);
};

void __attribute__((noinline)) Domain::allocate(int n)
{
	m_y = new double[n + 2];
	touch(m_y);
	m_z.resize(n + 3);
	touch(m_z.data());
	this->m_x = new double[n + 4];
	touch(m_x);
}

// The local variable hides the member.
void __attribute__((noinline)) Domain::hide(int n)
{
	double *m_y = new double[n + 5];

	touch(m_y);
}
} // namespace ocean

template <class T> struct Graph {
	T *rank;
	double *own;

	void build(int n)
	{
		rank = new T[n + 6];
		touch(rank);
	}
};

struct Special : Graph<float> {
	void more(int n)
	{
		own = new double[n + 7];
		touch(own);
	}
};

int main(int argc, char **)
{
	const int n = 1000 * argc;
	ocean::Domain domain(n);
	Special graph;

	domain.hide(n);
	graph.build(n);
	graph.more(n);
	return 0;
}
