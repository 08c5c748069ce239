// SPDX-License-Identifier: BSD-3-Clause
/* C++ functions in all kinds of scopes. */
double field[4096];

namespace
{

__attribute__((noinline)) double sweep(const double *from)
{
	return from[1]; // sweep
}

inline __attribute__((always_inline)) double peek(const double *from)
{
	return from[2] * from[3]; // peek
}

} // namespace

namespace solver
{

template <class Value, class Other> struct Grid {
	Value first;
	Other second;
	__attribute__((noinline)) double advance(const Value *from, const Other *to);
	bool operator<(const Grid &other) const;
};

template <class Value, class Other> double Grid<Value, Other>::advance(const Value *from, const Other *to)
{
	return from[3] + to[4]; // advance
}

template <class Value, class Other>
__attribute__((noinline)) bool Grid<Value, Other>::operator<(const Grid &other) const
{
	return first < other.first; // less
}

} // namespace solver

extern "C" __attribute__((noinline)) double plain(const double *from)
{
	return from[5]; // plain
}

int main()
{
	auto add = [](const double *from) __attribute__((noinline))
	{
		return from[6]; // lambda
	};
	solver::Grid<double, long> grid = {1, 2}, other = {2, 3};
	long numbers[8] = {};

	return sweep(field) + peek(field) + grid.advance(field, numbers) + plain(field) + add(field) +
		       (grid < other) >
	       1;
}
