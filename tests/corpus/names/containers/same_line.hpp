// SPDX-License-Identifier: BSD-3-Clause
// A sparse matrix, whose member function reserves its vectors. It begins on the line on which same_line.cpp calls it.
#include <vector>

template <class Scalar> struct Matrix {
	int rows = 0;
	std::vector<int> columns;
	std::vector<Scalar> values;

	void reserve_space(unsigned rows, unsigned per_row)
	{
		columns.reserve(rows * per_row); // site: A.columns
		values.reserve(rows * per_row);  // site: A.values
	}
};
