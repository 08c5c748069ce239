/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses whose types the test knows: after "//", the members that a line accesses, separated by ";". Only accesses to the stack may have other
 * types, those of local variables. Not every compiler makes an access that follows a "?".
 */
#include <stddef.h>

typedef struct {
	int from, to;
	double weight;
} Edge;

struct Vec {
	float u, v;
};

struct Particle {
	double x[3];
	struct Vec spin;
	struct Particle *next;
	unsigned int kind : 4, flag : 3;
	union {
		long number;
		double value;
	};
};

struct Arrays {
	double *x, *y;
	Edge *edges;
	long count;
};

struct Link {
	struct Link *next;
};

struct Item {
	long value;
	struct Link link;
};

struct Flexible {
	long count;
	double items[];
};

struct Old {
	int count;
	Edge items[1];
};

struct Header {
	long bytes;
	struct Header *next;
};

Edge table[100];
double grid[64][64];
struct Particle *head;
struct Particle *heads[16];
int counter;
/* The loader stores the initial value of the pointer, which may change. */
Edge seeds[4];
int *cursor = (int *)seeds;
/* An array in a structure that another array follows. */
struct Ranges {
	long head;
	struct {
		int low, high;
	} list[5];
} ranges = {1, {{0, 0}}};
double after_ranges[50] = {1};

double sum_edges(const Edge *e, long n)
{
	double s = 0;

	for (long i = 0; i < n; i++)
		s += e[i].weight; // Edge.weight
	return s;
}

int sum_to(const Edge *e, int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += e[i].to; // Edge.to; ?Edge.to|Edge.weight
	return s;
}

double walk(struct Particle *p)
{
	double s = 0;

	while (p) {
		s += p->x[1];   // Particle.x
		s += p->spin.v; // Particle.spin.v
		p = p->next;    // Particle.next
	}
	return s;
}

double walk_head(void)
{
	double s = 0;
	struct Particle *p;

	p = head; // Particle*
	for (; p;) {
		s += p->x[2]; // Particle.x
		p = p->next;  // Particle.next
	}
	return s;
}

double two_steps(struct Particle *p)
{
	return p->next->next->x[0]; // Particle.next; Particle.x
}

double from_table(long i)
{
	return heads[i]->x[1]; // Particle*; Particle.x
}

int of_table(long i)
{
	return table[i].to; // Edge.to
}

int before_table(long i)
{
	return table[i - 1].from; // ?Edge.from; ?double|Edge.from; ?Particle*|Edge.from
}

int one_of_table(void)
{
	counter++;            // int; ?Edge.from
	return table[3].from; // ?Edge.from; ?int
}

void set(Edge *e)
{
	e->to = 1;     // Edge.to
	e->weight = 2; // Edge.weight; ?(no-static-variable)
}

double of_grid(int n)
{
	double s = 0;

	for (int i = 1; i < n; i++)
		for (int j = 1; j < n; j++)
			s += grid[i - 1][j]; // double
	return s;
}

long bits(struct Particle *p)
{
	return p->flag; // Particle.kind|Particle.flag
}

long either(struct Particle *p)
{
	return p->number; // Particle.number|Particle.value
}

/* The step of the index leads to a member that is an array. */
double one_of_three(struct Particle *p, int i)
{
	return p->x[i]; // Particle.x
}

double product(const struct Arrays *a)
{
	double s = 0;

	for (long i = 0; i < a->count; i++) { // Arrays.count
		s += a->x[i];                 // Arrays.x; double
		s += a->y[i];                 // Arrays.y; double
		s += a->edges[i].weight;      // Arrays.edges; Edge.weight
	}
	return s;
}

void scale(double *restrict to, const double *restrict from, long n)
{
	for (long i = 0; i < n; i++)
		to[i] = 2 * from[i]; // double; ?(no-static-variable)
}

/* A pointer to a member is not one to the object around it. */
long around(struct Link *link)
{
	return ((struct Item *)((char *)link - offsetof(struct Item, link)))->value; // (outside)
}

long item_of(struct Item *item)
{
	struct Link *link = item->link.next; // ?Item.link.next

	return link->next != NULL; // Link.next; ?Item.link.next
}

int opaque(void *p, long i)
{
	return ((int *)p)[i]; // (void)
}

double local(int n, void (*use)(void *))
{
	double a[64];
	Edge e = {1, 2, 3};

	use(a);
	use(&e);
	return a[n] + e.weight; // Edge.weight; double
}

/* After a call, its result has no type here, and registers that it may change have none. */
int after_call(long (*get)(void), int *other)
{
	long address = get();

	*other = 1;             // int
	return *(int *)address; // (no-variable)
}

void swap(Edge *a, Edge *b)
{
	Edge t = *a; // ?Edge.from|Edge.to; ?Edge.weight; ?Edge.from|Edge.to|Edge.weight

	*a = *b; // ?Edge.from|Edge.to; ?Edge.weight; ?Edge.from|Edge.to|Edge.weight
	*b = t;  // ?Edge.from|Edge.to; ?Edge.weight; ?Edge.from|Edge.to|Edge.weight
}

double of_flexible(const struct Flexible *f)
{
	double s = 0;

	for (long i = 0; i < f->count; i++) // Flexible.count; ?Flexible.items
		s += f->items[i];           // Flexible.items
	return s;
}

double of_old(const struct Old *old)
{
	double s = 0;

	for (long i = 0; i < old->count; i++) // Old.count
		s += old->items[i].weight;    // Old.items.weight
	return s;
}

/* Behind a header lies memory of another type. */
double behind(const struct Header *header)
{
	return ((const double *)(header + 1))[1]; // (outside)
}

double all_behind(const struct Header *header, long n)
{
	double s = 0;

	for (long i = 0; i < n; i++)
		s += ((const double *)(header + 1))[i]; // ?(outside); ?double
	return s;
}

/* A byte is not what an instruction reads eight of. */
double in_bytes(const unsigned char *bytes)
{
	return *(const double *)(bytes + 16); // (outside)
}

unsigned char a_byte(const unsigned char *bytes)
{
	return bytes[1]; // unsigned char
}

int of_cursor(void)
{
	return cursor[1]; // int*; int
}

int of_ranges(int i)
{
	return ranges.list[i].high; // Ranges.list.high
}
