/* SPDX-License-Identifier: BSD-3-Clause */
/* C variables of every kind, for variables_test.c: compiled by several compilers, never run. */
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

/* 2^26 members without data: a search must not visit each of them. */
struct nothing0 {
	int : 8;
};
#define NOTHING(level, below)                        \
	struct nothing##level {                      \
		struct nothing##below first, second; \
	}
NOTHING(1, 0);
NOTHING(2, 1);
NOTHING(3, 2);
NOTHING(4, 3);
NOTHING(5, 4);
NOTHING(6, 5);
NOTHING(7, 6);
NOTHING(8, 7);
NOTHING(9, 8);
NOTHING(10, 9);
NOTHING(11, 10);
NOTHING(12, 11);
NOTHING(13, 12);
NOTHING(14, 13);
NOTHING(15, 14);
NOTHING(16, 15);
NOTHING(17, 16);
NOTHING(18, 17);
NOTHING(19, 18);
NOTHING(20, 19);
NOTHING(21, 20);
NOTHING(22, 21);
NOTHING(23, 22);
NOTHING(24, 23);
NOTHING(25, 24);
NOTHING(26, 25);

struct {
	struct nothing26 none;
	int after;
} hollow;
struct grid grid;
struct grid blocks[4];
static double *rows[8];
double plain[100];
double field[6][10];
/* Numbers of elements whose bounds need all bits of one byte, and of two. */
struct halo edges[200];
double wide[3][40000];
double *pointer;
void *registry[4];
_Thread_local double tls_table[20];
static _Thread_local struct grid tls_grid;
struct flexible {
	int count;
	double values[];
};
struct flexible *flexible;

/* Several members share the same bytes. */
struct mixed {
	int kind;
	union {
		double real;
		struct {
			int low;
			short high[2];
		} word;
	} u;
	union {
		double cost;
		struct halo *edge;
		struct halo *other;
	};
	unsigned int near : 4, far : 8;
	union {
		char a, b, c, d, e, f, g, h, i, j;
	} many;
};
struct mixed mixed[4];

/* Pointers with and without a type. */
struct tagged {
	union {
		void *raw;
		struct halo *typed;
	};
	union {
		struct halo *halo;
		long *count;
		void *any;
		struct halo *again;
	};
};
struct tagged tagged;

double use(long i)
{
	static double inner[10];
	static _Thread_local long calls;

	inner[i] += 1;
	return ++calls + plain[i] + field[i][i] + grid.table[0][i] + blocks[i].halo.width[0] + *rows[i] +
	       pointer[i] + tls_table[i] + tls_grid.table[0][i] + inner[i] + (registry[i] != NULL) +
	       flexible->values[i] + mixed[i].u.real + (tagged.raw != NULL);
}

void change(long i)
{
	rows[i] = pointer;
	tls_grid.table[0][i] = plain[i];
}
