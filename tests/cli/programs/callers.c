// SPDX-License-Identifier: BSD-3-Clause
/* A program that accesses memory through a library. report/callers.bats depends on the marked lines. */
int library_copy(double *to, const double *from, int n);
int library_forward(double *to, const double *from, int n);
int library_clear(double *to, int n);
int library_set(double *to, int n);
int library_move(double *to, const double *from, int n);

double field[1000], halo[1000];

static inline __attribute__((always_inline)) int exchange(void)
{
	return library_copy(halo, field, 1000) + 1; // exchanges
}

__attribute__((noipa)) int solve(int step)
{
	return exchange() + step; // solves
}

__attribute__((noipa)) int relax(int step)
{
	int n = library_copy(field, halo, 1000); // relaxes

	n += library_forward(field, halo, 1000);   // forwards
	n += library_clear(halo, 1000);            // empties
	n += library_move(field, halo, 1000);      // moves
	return n + library_set(halo, 1000) + step; // fills
}

int main(void)
{
	int n = 0;

	for (int step = 0; step < 3; step++) {
		n += solve(step); // step 1
		n += relax(step); // step 2
	}
	return n == 0;
}
