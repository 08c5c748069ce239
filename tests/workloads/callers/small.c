// SPDX-License-Identifier: BSD-3-Clause
/* Makes nearly all of its samples in memcpy(), for some seconds. */
#include "workload.h"

#include <memphis.h>
#include <stdio.h>
#include <string.h>

enum { COPIES = 600000, BYTES = 1500 };

static char from[BYTES], to[BYTES];
static volatile size_t bytes = BYTES; /* unknown to the compiler, which calls memcpy() then */

int main(void)
{
	int sum = 0;

	memset(from, 1, sizeof(from));
	memphis_begin("Copies");
	for (int i = 0; i < COPIES; i++) {
		memcpy(to, from, bytes);
		__asm__ volatile("" : : "r"(to) : "memory");
		sum += to[i % BYTES];
	}
	memphis_end("Copies");
	printf("sum %d\n", sum);
	return 0;
}
