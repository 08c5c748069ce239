/* SPDX-License-Identifier: BSD-3-Clause */
/* A variable whose elements have bit-fields in several storage units. */
struct cell {
	unsigned int kind : 8, level : 24;
	unsigned int mask : 16, owner : 16;
	unsigned long far : 40, near : 24;
	double value;
};

struct cell cells[1000];

int main(void)
{
	cells[1].owner = 1;
	return 0;
}
