// SPDX-License-Identifier: BSD-3-Clause
/* Blocks of different sizes that local variables hold. */
#include <stdlib.h>

void touch(double *block);

struct grid {
	double *tx, *ty;
};

static double *field;

static void *xmalloc(size_t bytes)
{
	void *block = malloc(bytes);

	if (!block)
		abort();
	return block;
}

static __attribute__((noinline)) double *make(int n)
{
	double *made = malloc((size_t)n * 8);

	for (int i = 0; i < n; i++)
		made[i] = i;
	return made;
}

static void several(void)
{
	double *a = malloc(8001), *b = malloc(8002), *c = malloc(8003);
	double *d, *e;

	/* clang-format off */
	d = malloc(8004); e = malloc(8005);
	/* clang-format on */
	touch(a);
	touch(b);
	touch(c);
	touch(d);
	touch(e);
	free(a);
}

static void grow(void)
{
	double *g = malloc(8011);

	touch(g);
	g = realloc(g, 8012);
	if (!g)
		exit(1);
	touch(g);
}

static void wrapped(int n)
{
	double *x = xmalloc(8021), *y = xmalloc(8022);
	double *z = make(n);

	touch(x);
	touch(y);
	touch(z);
}

static void vla(int n)
{
	double on_stack[n], *h = calloc(8031, 1);

	touch(on_stack);
	touch(h);
}

static void copies(int n)
{
	double *first = malloc(8041);
	double *at = first, *end = first + n;

	while (at < end)
		*at++ = n;
	touch(first);
	field = malloc(8042);
	double *alias = field;
	touch(alias);
}

static void members(struct grid *g)
{
	struct grid own;

	/* clang-format off */
	own.tx = malloc(8051); own.ty = malloc(8052);
	/* clang-format on */
	touch(own.tx);
	touch(own.ty);
	g->tx = malloc(8053);
	double *copy = g->tx;
	touch(copy);
}

int main(void)
{
	struct grid grid;

	several();
	grow();
	wrapped(1003);
	vla(1000);
	copies(1000);
	members(&grid);
	touch(grid.tx);
	return 0;
}
