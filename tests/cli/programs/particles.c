/* SPDX-License-Identifier: BSD-3-Clause */
/* A variable whose elements have members. */
struct particle {
	double position[3];
	double velocity[3];
	long cell;
	long padding;
};

struct particle particles[1000];
double plain[1000];

int main(void)
{
	particles[1].cell = 1;
	plain[1] = 1;
	return 0;
}
