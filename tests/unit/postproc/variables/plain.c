/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables of C of every kind, for variables_test.c: compiled by several compilers, never run. */
#include <stddef.h>

struct halo {
	double *low, *high;
	int width[4];
};

struct grid {
	long cells;
	double *tx;
	struct halo halo;
	union {
		double *now;
		long *then;
	};
	double table[3][5];
};

struct grid grid;
struct grid blocks[4];
static double *rows[8];
double plain[100];
double field[6][10];
double *pointer;
void *registry[4];
_Thread_local double tls_table[20];
static _Thread_local struct grid tls_grid;
struct flexible {
	int count;
	double values[];
};
struct flexible *flexible;

double use(long i)
{
	static double inner[10];
	static _Thread_local long calls;

	inner[i] += 1;
	return ++calls + plain[i] + field[i][i] + grid.table[0][i] + blocks[i].halo.width[0] + *rows[i] +
	       pointer[i] + tls_table[i] + tls_grid.table[0][i] + inner[i] + (registry[i] != NULL) +
	       flexible->values[i];
}

void change(long i)
{
	rows[i] = pointer;
	tls_grid.table[0][i] = plain[i];
}
