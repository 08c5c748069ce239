// SPDX-License-Identifier: BSD-3-Clause
/* Wrappers that call each other deeper than callers are recorded: which variable holds the block is not known. */
/* corpus: record --stack-depth 2 */
#include "corpus.h"

__attribute__((noinline)) static double *allocate(size_t count)
{
	double *made = malloc(count * sizeof(double));

	corpus_use(made);
	return made;
}

__attribute__((noinline)) static double *allocate_checked(size_t count)
{
	double *checked = allocate(count);

	if (!checked)
		abort();
	corpus_use(checked);
	return checked;
}

__attribute__((noinline)) static double *allocate_field(size_t count)
{
	double *field = allocate_checked(count);

	field[0] = 1;
	return field;
}

int main(void)
{
	double *salt = allocate_field(COUNT);
	double *near = allocate(COUNT); /* site: near */

	TRUTH(salt, BYTES, "<allocate_checked:16>");
	TRUTH(near, BYTES, "near");
	return 0;
}
