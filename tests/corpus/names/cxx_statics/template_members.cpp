// SPDX-License-Identifier: BSD-3-Clause
// Statics of member functions of templates, and of templates in classes and namespaces.
#include "corpus.h"

template <class T> struct Solver {
	double *work()
	{
		static double block[COUNT];

		return block;
	}
	template <int Order> double *tableau()
	{
		static double block[COUNT];

		return block;
	}
};

namespace detail
{
template <class T> struct Store {
	static T values[COUNT];
};
template <class T> T Store<T>::values[COUNT];
} // namespace detail

namespace other
{
template <class T> struct Store {
	static T values[COUNT];
};
template <class T> T Store<T>::values[COUNT];
} // namespace other

int main()
{
	Solver<float> single;
	Solver<double> real;

	TRUTH(single.work(), BYTES, "Solver<float>::work::block|Solver<float>::work()::block");
	TRUTH(real.work(), BYTES, "Solver<double>::work::block|Solver<double>::work()::block");
	TRUTH(real.tableau<2>(), BYTES,
	      "Solver<double>::tableau<2>::block|Solver<double>::tableau<2>()::block");
	TRUTH(real.tableau<3>(), BYTES,
	      "Solver<double>::tableau<3>::block|Solver<double>::tableau<3>()::block");
	TRUTH(detail::Store<double>::values, BYTES, "detail::Store<double>::values");
	TRUTH(other::Store<double>::values, BYTES, "other::Store<double>::values");
}
