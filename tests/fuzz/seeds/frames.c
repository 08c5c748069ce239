/* SPDX-License-Identifier: BSD-3-Clause */
/* A seed: locals in frames, in blocks and in inlined functions; thread-local variables. */
struct cell {
	double low[4];
	struct cell *next;
};

_Thread_local struct cell mine[2];
void work(double *, struct cell *);

static inline double sweep(int n)
{
	struct cell cells[3];
	double sum = 0;

	for (int i = 0; i < n; i++) {
		double inner[2] = {i, i + 1};

		work(inner, cells);
		sum += inner[0] + cells[i % 3].low[i & 3];
	}
	return sum;
}

double frames(int n, int m)
{
	double field[8], table[n + 1];

	work(field, mine);
	work(table, &mine[1]);
	return sweep(m) + field[n & 7] + table[n];
}
