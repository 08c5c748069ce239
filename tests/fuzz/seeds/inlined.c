/* SPDX-License-Identifier: BSD-3-Clause */
/* A seed: functions that are inlined into one another, structures with pointers, tables. */
struct link {
	struct link *next;
	double *values;
	struct {
		int rank;
		double *column[3];
	} part[2];
	unsigned int flags : 3, more : 5;
};

union word {
	void *pointer;
	long number;
};

static struct link links[4];
static union word words[2];
double *field, **rows;
void *registry[8];
_Thread_local int local;

static inline double *first(struct link *link, int i)
{
	return link->part[i & 1].column[0] + i;
}

static inline double sum(struct link *link, int count)
{
	double total = 0;

	for (int i = 0; i < count; i++)
		total += *first(link, i) + *first(link->next, i);
	return total;
}

double use(int which, int count)
{
	static double kept[16];

	if (which > 3) {
		kept[which & 15] = sum(&links[0], count);
		return kept[0];
	}
	field = links[which].values;
	registry[0] = words[0].pointer;
	local++;
	return sum(&links[which], count) + rows[0][which];
}
