// SPDX-License-Identifier: BSD-3-Clause
/* Memory managers: functions of an object, with the block as a result and in the caller's object. */
#include "corpus.h"

#define SEPARATE __attribute__((noinline))

struct manager {
	size_t used;
	void *(*get)(struct manager *self, size_t bytes);
};

struct model {
	double *wind, *heat;
};

SEPARATE static void *get(struct manager *self, size_t bytes)
{
	void *block = malloc(bytes);

	self->used += bytes;
	return block;
}

SEPARATE static void fill(struct model *model, struct manager *manager)
{
	model->wind = manager->get(manager, BYTES); /* site: atmosphere.wind */
	model->heat = get(manager, BYTES);          /* site: atmosphere.heat */
}

static struct model atmosphere;

int main(void)
{
	struct manager manager = {0, get};
	double *work = manager.get(&manager, BYTES); /* site: work */
	double *flux = get(&manager, BYTES);         /* site: flux */

	fill(&atmosphere, &manager);
	corpus_use(&manager);
	TRUTH(work, BYTES, "work");
	TRUTH(flux, BYTES, "flux");
	TRUTH(atmosphere.wind, BYTES, "atmosphere.wind");
	TRUTH(atmosphere.heat, BYTES, "atmosphere.heat");
	return 0;
}
