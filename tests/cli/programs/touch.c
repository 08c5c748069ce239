// SPDX-License-Identifier: BSD-3-Clause
/* Uses memory in a way that compilers can't see. */
void touch_(double *block);
void touch(double *block);

void touch_(double *block)
{
	block[0] += 1;
}

void touch(double *block)
{
	block[0] += 1;
}
