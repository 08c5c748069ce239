/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables whose elements have bit-fields in several storage units and bytes. */
struct cell {
	unsigned int kind : 8, level : 24;
	unsigned int mask : 16, owner : 16;
	unsigned long far : 40, near : 24;
	double value;
};

/* The bits of `middle` are in two bytes, and no other member is in the second. */
struct part {
	unsigned int first : 4, middle : 8;
	int last;
};

struct cell cells[1000];
struct part parts[1000];

int main(void)
{
	cells[1].owner = 1;
	parts[1].middle = 1;
	return 0;
}
