// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "corpus.h"

namespace tensor
{

inline void *aligned_new(size_t bytes)
{
	void *block = aligned_alloc(64, bytes);

	if (!block)
		abort();
	return block;
}

template <class T> class Array
{
      public:
	explicit Array(long count) : m_data(static_cast<T *>(aligned_new(count * sizeof(T)))), m_count(count)
	{
		for (long i = 0; i < count; i++)
			m_data[i] = T(i);
	}
	~Array()
	{
		free(m_data);
	}
	T *data()
	{
		return m_data;
	}

      private:
	T *m_data;
	long m_count;
};

} // namespace tensor
