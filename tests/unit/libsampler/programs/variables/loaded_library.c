/* SPDX-License-Identifier: BSD-3-Clause */
/* A static variable of a library, for loaded.c. */
static double NAME[1000];

double *field(void)
{
	NAME[3] = 1;
	return NAME;
}
