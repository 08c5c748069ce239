/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses to thread-local variables: after "//", the members that a line accesses, as in records.c. */
#include <stddef.h>

struct Cache {
	long hits;
	double *values;
	struct Cache *next;
	struct {
		int low, high;
	} range[5];
};

struct Point {
	double x, y, z;
};

__thread int counter = 1;
static __thread struct Cache cache;
__thread struct Cache *current;
__thread double table[50];
static __thread struct Point points[20];
extern __thread int elsewhere;
_Alignas(64) __thread char aligned[64];

int of_counter(void)
{
	return ++counter; // int
}

long of_cache(void)
{
	return cache.hits; // ?Cache.hits
} // ?Cache.hits

double of_values(long i)
{
	return cache.values[i]; // Cache.values; double
}

int of_range(int i)
{
	return cache.range[i].high; // Cache.range.high
}

long of_current(void)
{
	return current->hits; // Cache*; Cache.hits
}

long of_next(void)
{
	return current->next->hits; // Cache*; Cache.next; Cache.hits
}

double of_table(long i)
{
	return table[i]; // double
}

double of_constant(void)
{
	return table[7]; // ?double
} // ?double

double of_sum(void)
{
	double sum = 0;

	for (int i = 0; i < 50; i++) // ?double
		sum += table[i];     // ?double
	return sum;
}

double of_points(long i)
{
	return points[i].y + points[3].z; // Point.y; Point.z
}

void set_point(long i, double z)
{
	points[i].z = z; // Point.z
}

/* A thread-local variable that another library defines. */
int of_elsewhere(void)
{
	return elsewhere; // ?(thread-local); ?(no-variable); ?int
}

void both(long i)
{
	counter += (int)i;    // int
	cache.hits = counter; // Cache.hits; ?int
}

/* The address is passed as a pointer. */
double by_pointer(const struct Point *point)
{
	return point->y; // Point.y
}

double of_pointer(void)
{
	struct Point *point = &points[2];

	point->x = by_pointer(point); // Point.x; ?Point.y
	return point->z;              // ?Point.z; ?Point.y
} // ?Point.z

/* Not a variable: what the ABI keeps at the thread pointer. */
unsigned long of_guard(void)
{
	unsigned long guard;

	__asm__("mov %%fs:0x28, %0" : "=r"(guard)); // (thread-local)
	return guard;
}
