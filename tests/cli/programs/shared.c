// SPDX-License-Identifier: BSD-3-Clause
/* A library with a variable of its own and an inlined function. */
double shared_table[256];
static double shared_sum;

static inline __attribute__((always_inline)) void add(int i)
{
	shared_sum += shared_table[i];
}

double shared_walk(int n)
{
	int i;

	for (i = 0; i < n; i++)
		add(i);
	return shared_sum;
}
