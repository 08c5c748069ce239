// SPDX-License-Identifier: BSD-3-Clause
/* Objects that a function makes together with their data, and data that a function allocates in the caller's object. */
#include "corpus.h"

#define SEPARATE __attribute__((noinline))

struct field {
	double *data;
	size_t count;
};

SEPARATE static struct field *make(size_t count)
{
	struct field *field = malloc(sizeof(*field));

	field->data = malloc(count * sizeof(double)); /* site: heat->data, salt->data */
	field->count = count;
	return field;
}

SEPARATE static void fill(struct field *self, size_t count)
{
	self->data = malloc(count * sizeof(double)); /* site: kept.data, local.data */
	self->count = count;
}

static struct field kept;

int main(void)
{
	struct field *heat = make(COUNT); /* site: heat->data */
	struct field *salt = make(COUNT); /* site: salt->data */
	struct field local;

	fill(&kept, COUNT);  /* site: kept.data */
	fill(&local, COUNT); /* site: local.data */
	TRUTH(heat->data, BYTES, "heat->data|heat.data|heat");
	TRUTH(salt->data, BYTES, "salt->data|salt.data|salt");
	TRUTH(kept.data, BYTES, "kept.data");
	TRUTH(local.data, BYTES, "local.data");
	return 0;
}
