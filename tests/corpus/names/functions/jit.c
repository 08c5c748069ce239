// SPDX-License-Identifier: BSD-3-Clause
/* Code that is made when the program runs, with the list of its functions that JIT compilers write for perf. */
#include "corpus.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static double field[COUNT];

int main(void)
{
	static const unsigned char code[] = {0xf2, 0x0f, 0x10, 0x07, 0xc3}; /* movsd (%rdi), %xmm0; ret */
	unsigned char *made =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *list;

	if (made == MAP_FAILED)
		return 1;
	memcpy(made, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	list = fopen(path, "w");
	if (!list)
		return 1;
	fprintf(list, "%lx %zx made_kernel\n", (unsigned long)made, sizeof(code));
	fclose(list);
	corpus_truth_at(field, BYTES, "field in made_kernel", made);
	return 0;
}
