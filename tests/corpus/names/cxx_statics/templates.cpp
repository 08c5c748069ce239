// SPDX-License-Identifier: BSD-3-Clause
// Statics of templates: members, variables, locals of functions, inline members.
#include "corpus.h"

#include <array>

template <class T> struct Pool {
	static T cells[COUNT];
	inline static std::array<T, COUNT> ring{};
};
template <class T> T Pool<T>::cells[COUNT];

template <class T> T field[COUNT];

template <int K> __attribute__((noinline)) double *slot()
{
	static double cells[COUNT];

	return cells;
}

template <class T> __attribute__((noinline)) T *buffer(T)
{
	static T cells[COUNT];

	return cells;
}

int main()
{
	TRUTH(Pool<double>::cells, BYTES, "Pool<double>::cells");
	TRUTH(Pool<long>::cells, BYTES, "Pool<long>::cells|Pool<long int>::cells");
	TRUTH(Pool<double>::ring.data(), BYTES, "Pool<double>::ring");
	TRUTH(Pool<long>::ring.data(), BYTES, "Pool<long>::ring|Pool<long int>::ring");
	TRUTH(field<double>, BYTES, "field<double>");
	TRUTH(field<long>, BYTES, "field<long>|field<long int>");
	TRUTH(slot<1>(), BYTES, "slot<1>::cells|slot<1>()::cells");
	TRUTH(slot<2>(), BYTES, "slot<2>::cells|slot<2>()::cells");
	TRUTH(buffer(1.0), BYTES, "buffer<double>::cells|buffer<double>(double)::cells");
	TRUTH(buffer(1L), BYTES, "buffer<long>::cells|buffer<long>(long)::cells|buffer<long int>::cells");
}
