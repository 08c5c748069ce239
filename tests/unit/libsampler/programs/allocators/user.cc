// SPDX-License-Identifier: BSD-3-Clause
// Allocates with the current allocator: 30001 bytes by malloc(), 30002 by realloc(), 30003 by new, 30208 by mmap().
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

void *volatile kept[4];

#ifdef ADDRESSES
extern void *(*const making)(size_t);
extern void (*const releasing)(void *);
void *(*const making)(size_t) = malloc;
void (*const releasing)(void *) = free;
#endif

int main()
{
	for (int i = 0; i < 100; i++)
		free(malloc(5000 + i));
	kept[0] = malloc(30001);
	kept[1] = realloc(malloc(6000), 30002);
	kept[2] = new char[30003];
	kept[3] = mmap(nullptr, 30208, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	std::puts("done");
	return 5;
}
