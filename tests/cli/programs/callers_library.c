// SPDX-License-Identifier: BSD-3-Clause
/* A library that accesses memory for its caller. report/callers.bats depends on the marked lines. */

__attribute__((noipa)) static void copy(double *to, const double *from, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = from[i]; // copies
}

__attribute__((noipa)) static void clear(double *to, int n)
{
	for (int i = 0; i < n; i++)
		to[i] *= 0.5; // clears; not a call of memset()
}

/* Ends in a jump to copy(). */
__attribute__((noipa)) static void forward(double *to, const double *from, int n)
{
	copy(to, from, n);
}

int library_copy(double *to, const double *from, int n)
{
	copy(to, from, n); // calls copy
	return n;
}

/* Another name of the same function, as memmove() is of memcpy() */
extern __typeof__(library_copy) library_move __attribute__((alias("library_copy")));

int library_forward(double *to, const double *from, int n)
{
	forward(to, from, n); // calls forward
	return n;
}

int library_clear(double *to, int n)
{
	clear(to, n); // calls clear
	return n;
}

int library_set(double *to, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = 1; // sets
	return n;
}
