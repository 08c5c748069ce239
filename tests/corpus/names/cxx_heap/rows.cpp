// SPDX-License-Identifier: BSD-3-Clause
// Rows by new[], also of small size, in locals, members and objects of classes.
#include "corpus.h"

enum { ROWS = 2048 };

class Table
{
      public:
	Table() : m_rows(new double *[ROWS])
	{
		for (int i = 0; i < ROWS; i++)
			m_rows[i] = new double[27]; // site: table.m_rows[]
	}
	double **m_rows;
};

int main()
{
	double **local = new double *[ROWS]; // site: local
	Table table;                         // site: table.m_rows[]

	for (int i = 0; i < ROWS; i++)
		local[i] = new double[16]; // site: local[]
	TRUTH(local, ROWS * sizeof(*local), "local");
	TRUTH(table.m_rows, ROWS * sizeof(*local), "table.m_rows|Table::m_rows");
	for (int i = 0; i < ROWS; i++)
		TRUTH(local[i], 16 * sizeof(double), "local[]|local[i]");
	for (int i = 0; i < ROWS; i++)
		TRUTH(table.m_rows[i], 27 * sizeof(double),
		      "table.m_rows[]|Table::m_rows[]|m_rows[]|m_rows[i]");
}
