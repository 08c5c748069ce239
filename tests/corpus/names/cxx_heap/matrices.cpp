// SPDX-License-Identifier: BSD-3-Clause
// Matrices: of vectors of vectors, of an own class with operator(), and of pointers to rows in one block.
#include "corpus.h"

#include <vector>

template <class T> class Matrix
{
      public:
	Matrix(int rows, int columns) : m_columns(columns)
	{
		m_data = new T[size_t(rows) * columns];
		corpus_use(m_data);
	}
	T &operator()(int row, int column)
	{
		return m_data[row * m_columns + column];
	}

      private:
	T *m_data;
	int m_columns;
};

int main()
{
	std::vector<std::vector<double>> nested(16); // site: nested
	std::vector<std::vector<std::vector<double>>> cube(4);
	Matrix<double> mass(128, COUNT / 128);    // site: mass
	Matrix<double> damping(128, COUNT / 128); // site: damping
	double **dense = new double *[128];

	for (auto &row : nested)
		row.resize(COUNT / 16); // site: nested[]
	for (auto &plane : cube) {
		plane.resize(4);
		for (auto &row : plane)
			row.assign(COUNT / 16, 0.0); // site: cube[][]
	}
	dense[0] = new double[COUNT]; // site: dense[]
	for (int i = 1; i < 128; i++)
		dense[i] = dense[0] + i * (COUNT / 128);
	for (auto &row : nested)
		TRUTH(row.data(), BYTES / 16, "nested[]|row|nested");
	for (auto &plane : cube)
		for (auto &row : plane)
			TRUTH(row.data(), BYTES / 16, "cube[][]|row|cube");
	TRUTH(&mass(0, 0), BYTES, "mass|mass.m_data");
	TRUTH(&damping(0, 0), BYTES, "damping|damping.m_data");
	TRUTH(dense[0], BYTES, "dense[]|dense[0]");
}
