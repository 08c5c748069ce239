// SPDX-License-Identifier: BSD-3-Clause
// Objects that are placed in a block, and arenas of C++.
#include "corpus.h"

#include <new>
#include <memory>

struct Cells {
	double values[COUNT];
};

class Arena
{
      public:
	explicit Arena(size_t bytes) : m_base(new char[bytes])
	{
	}
	void *get(size_t bytes)
	{
		void *part = m_base.get() + m_used;

		m_used += bytes;
		return part;
	}

      private:
	std::unique_ptr<char[]> m_base;
	size_t m_used = 0;
};

static Arena *arena;

int main()
{
	char *storage = new char[BYTES + 64]; // site: storage
	auto *cells = new (storage) Cells;

	arena = new Arena(2 * BYTES); // site: arena->m_base
	TRUTH(cells->values, BYTES, "storage|cells");
	TRUTH(arena->get(BYTES), BYTES, "arena->m_base|arena.m_base");
}
