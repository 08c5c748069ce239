// SPDX-License-Identifier: BSD-3-Clause
/* Variables of C without debug information, whose names end as the symbols of COMMON blocks do, and as those of gfortran's EQUIVALENCE begin. */
int cache_[100];
static int own_[50];

int *take(void)
{
	static int equiv[20];

	return own_ + equiv[cache_[0]];
}
