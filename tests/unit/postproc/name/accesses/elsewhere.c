/* SPDX-License-Identifier: BSD-3-Clause */
/* The program around threads.c: a variable of its own precedes those of threads.c, whose offsets differ. */
__thread char before[100];
__thread int elsewhere;

int main(void)
{
	return before[1];
}
