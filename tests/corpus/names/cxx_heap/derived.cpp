// SPDX-License-Identifier: BSD-3-Clause
// Members of template bases, of bases by CRTP, and of several bases.
#include "corpus.h"

#include <vector>

template <class T> struct Storage {
	T *m_storage = nullptr;
	void allocate(size_t count)
	{
		m_storage = new T[count]; // site: field.m_storage
		corpus_use(m_storage);
	}
};

template <class Derived> struct Expression {
	std::vector<double> m_cache;
};

struct Field : Storage<double>, Expression<Field> {
};

static Field field;

int main()
{
	Field local;

	field.allocate(COUNT);            // site: field.m_storage
	field.m_cache.resize(COUNT);      // site: field.m_cache
	local.m_cache.assign(COUNT, 1.0); // site: local.m_cache
	TRUTH(field.m_storage, BYTES, "field.m_storage");
	TRUTH(field.m_cache.data(), BYTES, "field.m_cache");
	TRUTH(local.m_cache.data(), BYTES, "local.m_cache|local");
}
