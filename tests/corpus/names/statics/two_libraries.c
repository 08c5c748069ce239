// SPDX-License-Identifier: BSD-3-Clause
/* A buffer and a table of one name in each of two shared libraries, built from one source. */
/* corpus: library north two_libraries_side.c -DSIDE=north */
/* corpus: library south two_libraries_side.c -DSIDE=south */
void north(void);
void south(void);

int main(void)
{
	north();
	south();
	return 0;
}
