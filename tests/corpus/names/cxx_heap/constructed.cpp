// SPDX-License-Identifier: BSD-3-Clause
// Members that methods of an object allocate, which its constructor calls; gcc divides one of them, and inlines only its head.
#include "corpus.h"

#include <vector>

volatile int corpus_threads = 2;

class Domain
{
      public:
	explicit Domain(size_t count);

	std::vector<double> m_x, m_y;
	double *m_corners = nullptr;

      private:
	void allocate_nodes(size_t count)
	{
		m_x.resize(count); // site: dom->m_x
		m_y.resize(count); // site: dom->m_y
	}
	void set_up(size_t count);
};

Domain::Domain(size_t count)
{
	allocate_nodes(count);
	set_up(count);
	for (size_t i = 0; i < count; i++)
		m_x[i] = m_corners[i];
}

void Domain::set_up(size_t count)
{
	if (corpus_threads > 1) {
		int *temporary = new int[count]; // site: temporary

		for (size_t i = 0; i < count; i++)
			temporary[i] = 0;
		for (size_t i = 0; i < count; i++)
			for (size_t k = 0; k < 8; k++)
				temporary[(i + k) % count]++;
		m_corners = new double[count]; // site: dom->m_corners
		m_corners[0] = 0;
		for (size_t i = 1; i < count; i++)
			m_corners[i] = m_corners[i - 1] + temporary[i - 1];
		TRUTH(temporary, count * sizeof(int), "temporary|Domain::set_up::temporary");
		delete[] temporary;
	}
}

int main()
{
	Domain *dom;

	dom = new Domain(COUNT); // site: dom->m_x, dom->m_y, dom->m_corners
	TRUTH(dom->m_x.data(), BYTES, "dom->m_x");
	TRUTH(dom->m_y.data(), BYTES, "dom->m_y");
	TRUTH(dom->m_corners, BYTES, "dom->m_corners");
}
