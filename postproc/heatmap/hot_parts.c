// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the part of an array that a node uses: the shortest range of elements that contains PART_PERCENT percent of
 * the selected samples from this node. A range is a result only if it is at most two thirds of the array. If
 * PART_SAMPLES samples were spread evenly over the whole array, such a range would appear by chance with a probability
 * of less than 1 in 20,000 (binomial distribution, for all ranges that begin at a sample).
 */
#include "heatmap/second_pass.h"

#include <errno.h>
#include <stdlib.h>

#include "base/order.h"
#include "dwarf/type/types.h"

#define PART_PERCENT 95
#define PART_SAMPLES 50

/* A selected sample of the array. */
struct hit {
	uint16_t node;
	uint64_t element;
};

/* The array that the samples access. */
struct array {
	struct memphis_field field; /* field of the first element */
	uint64_t origin, elements;
};

static int compare_hits(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return memphis_order(x->node, y->node) ?: memphis_order(x->element, y->element);
}

/* Returns the size of the variable or block that contains the sample's address, or 0 if it is unknown. */
static uint64_t containing_bytes(const struct array *array, const struct memphis_heatmap_record *record)
{
	if (record->block_end)
		return record->block_end - (record->address - record->offset);
	return array->field.element_count * array->field.element_bytes;
}

/*
 * Describes the array that the selected samples access. Returns -ENOENT if the samples have different owners, if the
 * variable is not an array of a known type, or if its blocks have different sizes. In the last case, the same index
 * can mean different elements in different blocks. The caller must close the array's field only after success.
 */
static int find_array(struct memphis_second_pass *pass, struct memphis_heatmap_record *const *records,
		      size_t count, struct array *array)
{
	const struct memphis_heatmap_record *first = NULL;
	const struct memphis_owner *owner;
	uint64_t bytes;
	size_t i;
	int rc;

	for (i = 0; i < count; i++) {
		if (!records[i]->selected || records[i]->estimated)
			continue;
		first = first ? first : records[i];
		if (records[i]->owner != first->owner)
			return -ENOENT;
	}
	if (!first)
		return -ENOENT;
	owner = &pass->numbers->owners[first->owner];
	rc = memphis_field_find_origin(pass->namer, owner, &array->origin);
	if (!rc)
		rc = memphis_field_find(pass->namer, owner, 0, &array->field);
	if (rc)
		return rc;
	bytes = containing_bytes(array, first);
	for (i = 0; i < count; i++)
		if (records[i]->selected && !records[i]->estimated &&
		    containing_bytes(array, records[i]) != bytes)
			bytes = 0;
	if (bytes > array->origin)
		array->elements = (bytes - array->origin) / array->field.element_bytes;
	if (array->elements > 1 && array->field.shape.rank)
		return 0;
	memphis_field_close(&array->field);
	return -ENOENT;
}

static struct hit *list_hits(const struct array *array, struct memphis_heatmap_record *const *records,
			     size_t count, size_t *found)
{
	struct hit *hits = calloc(count + 1, sizeof(*hits));
	uint64_t element;
	size_t i;

	*found = 0;
	for (i = 0; hits && i < count; i++) {
		if (!records[i]->selected || records[i]->offset == MEMPHIS_NO_OFFSET ||
		    records[i]->offset < array->origin)
			continue;
		element = (records[i]->offset - array->origin) / array->field.element_bytes;
		if (element < array->elements)
			hits[(*found)++] = (struct hit){records[i]->node, element};
	}
	if (hits)
		qsort(hits, *found, sizeof(*hits), compare_hits);
	return hits;
}

/* Adds the part of the array that one node uses, if there is one. The node's hits must be sorted by element. */
static int add_part(struct memphis_profile *profile, struct memphis_heatmap *heatmap,
		    const struct array *array, const struct hit *hits, size_t count)
{
	const size_t enough = (count * PART_PERCENT + 99) / 100;
	struct memphis_heatmap_part *part;
	struct memphis_text text = {0};
	size_t best = 0, i;
	uint64_t width;
	uint32_t name;

	if (count < PART_SAMPLES)
		return 0;
	for (i = 1; i + enough <= count; i++)
		if (hits[i + enough - 1].element - hits[i].element <
		    hits[best + enough - 1].element - hits[best].element)
			best = i;
	width = hits[best + enough - 1].element - hits[best].element + 1;
	if (width > array->elements - array->elements / 3 ||
	    !memphis_shape_put_part(&array->field.shape, array->field.fortran, hits[best].element,
				    hits[best + enough - 1].element, array->elements, &text))
		return 0;
	name = text.failed ? MEMPHIS_NONE : memphis_profile_add_string(profile, text.text);
	memphis_text_close(&text);
	part = memphis_append(heatmap->parts, heatmap->part_count, heatmap->part_room);
	if (name == MEMPHIS_NONE || !part)
		return -ENOMEM;
	*part = (struct memphis_heatmap_part){.name = name,
					      .node = hits[0].node,
					      .count = (uint32_t)count,
					      .first = hits[best].element,
					      .last = hits[best + enough - 1].element,
					      .elements = array->elements};
	return 0;
}

int memphis_heatmap_fill_parts(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			       struct memphis_heatmap_record *const *records, size_t count)
{
	struct array array = {.origin = 0};
	size_t found, first, next;
	struct hit *hits;
	int rc = find_array(pass, records, count, &array);

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	hits = list_hits(&array, records, count, &found);
	if (!hits)
		rc = -ENOMEM;
	for (first = next = 0; !rc && first < found; first = next) {
		while (next < found && hits[next].node == hits[first].node)
			next++;
		rc = add_part(pass->join->profile, heatmap, &array, hits + first, next - first);
	}
	free(hits);
	memphis_field_close(&array.field);
	return rc;
}
