// SPDX-License-Identifier: BSD-3-Clause
/* Arrays in frames: of fixed and variable length, alloca(), and a member of a structure; here and as a caller's. */
#include "corpus.h"

#include <alloca.h>

struct state {
	double speed[COUNT];
	double mass;
};

__attribute__((noinline)) static void callee(const double *lent)
{
	TRUTH(lent, BYTES, "caller::array");
}

__attribute__((noinline)) static void caller(void)
{
	double array[COUNT];

	corpus_use(array);
	callee(array);
	corpus_use(array);
}

__attribute__((noinline)) static void kernel(size_t count)
{
	double fixed[COUNT], variable[count], *dynamic = alloca(count * sizeof(*dynamic));
	struct state state;

	TRUTH(fixed, BYTES, "kernel::fixed");
	TRUTH(variable, BYTES, "kernel::variable");
	TRUTH(dynamic, BYTES, "kernel::dynamic");
	TRUTH(&state, BYTES, "kernel::state");
}

int main(void)
{
	caller();
	kernel(COUNT);
	return 0;
}
