// SPDX-License-Identifier: BSD-3-Clause
/* A closer look at the leading variables of each process. */
#include "heatmap/heatmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heatmap/look.h"
#include "diagnose/diagnosis.h"
#include "dwarf/field.h"

#define FIELD_LOOKUPS_MAX 20000 /* of a variable: debug information is slow */

static void shrink(void *list, size_t *room, size_t count, size_t bytes)
{
	void *old, *smaller;

	memcpy(&old, list, sizeof(old));
	smaller = count ? realloc(old, count * bytes) : NULL;
	if (!smaller)
		return;
	memcpy(list, &smaller, sizeof(smaller));
	*room = count;
}

static unsigned int shift_for(uint64_t low, uint64_t high, uint64_t bins)
{
	unsigned int shift = 0;

	while ((high >> shift) - (low >> shift) >= bins)
		shift++;
	return shift;
}

static void measure(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
		    size_t count)
{
	size_t i;

	heatmap->low = heatmap->high = records[0]->address;
	heatmap->from_ns = heatmap->to_ns = records[0]->since_ns;
	for (i = 0; i < count; i++) {
		if (records[i]->address < heatmap->low)
			heatmap->low = records[i]->address;
		if (records[i]->address > heatmap->high)
			heatmap->high = records[i]->address;
		if (records[i]->since_ns < heatmap->from_ns)
			heatmap->from_ns = records[i]->since_ns;
		if (records[i]->since_ns > heatmap->to_ns)
			heatmap->to_ns = records[i]->since_ns;
	}
	heatmap->samples = count;
	heatmap->bin_shift = shift_for(heatmap->low, heatmap->high, MEMPHIS_HEATMAP_BINS);
	heatmap->tick_shift = shift_for(heatmap->from_ns, heatmap->to_ns, MEMPHIS_HEATMAP_TICKS);
}

static int compare_lives(const void *a, const void *b)
{
	const struct memphis_heatmap_record *x = *(struct memphis_heatmap_record *const *)a,
					    *y = *(struct memphis_heatmap_record *const *)b;
	uint64_t base_x = x->address - x->offset, base_y = y->address - y->offset;

	if (base_x != base_y)
		return base_x < base_y ? -1 : 1;
	return (x->block_ns > y->block_ns) - (x->block_ns < y->block_ns);
}

/* Did blocks of it that were allocated at different times lie in the same memory? */
static int find_renewed(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			size_t count)
{
	struct memphis_heatmap_record **blocks = malloc((count + 1) * sizeof(*blocks));
	const struct memphis_heatmap_record *last = NULL;
	size_t known = 0, i;

	if (!blocks)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		if (records[i]->block_end)
			blocks[known++] = records[i];
	qsort(blocks, known, sizeof(*blocks), compare_lives);
	for (i = 0; i < known; i++) {
		if (last && blocks[i]->block_ns != last->block_ns &&
		    blocks[i]->address - blocks[i]->offset < last->block_end)
			heatmap->renewed = true;
		if (!last || blocks[i]->block_end > last->block_end)
			last = blocks[i];
	}
	free(blocks);
	return 0;
}

static uint16_t bin_of(const struct memphis_heatmap *heatmap, uint64_t address)
{
	return (uint16_t)((address >> heatmap->bin_shift) - (heatmap->low >> heatmap->bin_shift));
}

static int compare_spots(const void *a, const void *b)
{
	const struct memphis_heatmap_spot *x = a, *y = b;

	if (x->tick != y->tick)
		return x->tick < y->tick ? -1 : 1;
	if (x->bin != y->bin)
		return x->bin < y->bin ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->home > y->home) - (x->home < y->home);
}

static int fill_spots(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
		      size_t count)
{
	struct memphis_heatmap_spot *spots, *last = NULL;
	size_t i;

	if (memphis_grow(&heatmap->spots, &heatmap->spot_room, count, sizeof(*spots)))
		return -ENOMEM;
	spots = heatmap->spots;
	for (i = 0; i < count; i++)
		spots[i] = (struct memphis_heatmap_spot){
			.bin = bin_of(heatmap, records[i]->address),
			.tick = (uint16_t)((records[i]->since_ns >> heatmap->tick_shift) -
					   (heatmap->from_ns >> heatmap->tick_shift)),
			.node = records[i]->node,
			.home = records[i]->home,
			.count = 1,
			.selected = records[i]->selected};
	qsort(spots, count, sizeof(*spots), compare_spots);
	for (i = 0; i < count; i++) {
		if (last && !compare_spots(last, &spots[i])) {
			last->count++;
			last->selected += spots[i].selected;
		} else {
			last = &spots[heatmap->spot_count++];
			*last = spots[i];
		}
	}
	return 0;
}

static int compare_uses(const void *a, const void *b)
{
	const struct memphis_heatmap_use *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->bin != y->bin)
		return x->bin < y->bin ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Until all are added up, first_store is the number of its record; 0 or -ENOMEM. */
static int find_instructions(struct memphis_look *look, struct memphis_heatmap *heatmap,
			     struct memphis_heatmap_record *const *records)
{
	struct memphis_heatmap_use *use;

	for (use = heatmap->uses; use < heatmap->uses + heatmap->use_count; use++) {
		if (use->first_store == MEMPHIS_NONE)
			continue;
		use->first_store = memphis_look_instruction(look, records[use->first_store]);
		if (use->first_store == MEMPHIS_NONE)
			return -ENOMEM;
	}
	return 0;
}

static void add_use(struct memphis_heatmap_use *sum, const struct memphis_heatmap_use *use)
{
	sum->count += use->count;
	sum->stores += use->stores;
	sum->selected += use->selected;
	if (use->first_ns < sum->first_ns)
		sum->first_ns = use->first_ns;
	if (use->first_store == MEMPHIS_NONE ||
	    (sum->first_store != MEMPHIS_NONE && sum->first_store_ns <= use->first_store_ns))
		return;
	sum->first_store = use->first_store;
	sum->first_store_ns = use->first_store_ns;
}

static int fill_uses(struct memphis_look *look, struct memphis_heatmap *heatmap,
		     struct memphis_heatmap_record *const *records, size_t count)
{
	struct memphis_heatmap_use *uses, *last = NULL;
	bool store;
	size_t i;

	if (memphis_grow(&heatmap->uses, &heatmap->use_room, count, sizeof(*uses)))
		return -ENOMEM;
	uses = heatmap->uses;
	for (i = 0; i < count; i++) {
		store = records[i]->flags & MEMPHIS_FLAG_STORE;
		uses[i] = (struct memphis_heatmap_use){
			.thread = records[i]->thread,
			.node = records[i]->node,
			.bin = bin_of(heatmap, records[i]->address),
			.count = 1,
			.stores = store,
			.selected = records[i]->selected,
			.first_ns = records[i]->since_ns,
			.first_store = store ? (uint32_t)i : MEMPHIS_NONE,
			.first_store_ns = store ? records[i]->since_ns : 0,
		};
	}
	qsort(uses, count, sizeof(*uses), compare_uses);
	for (i = 0; i < count; i++) {
		if (last && !compare_uses(last, &uses[i])) {
			add_use(last, &uses[i]);
		} else {
			last = &uses[heatmap->use_count++];
			*last = uses[i];
		}
	}
	return find_instructions(look, heatmap, records);
}

static int compare_stores(const void *a, const void *b)
{
	const struct memphis_heatmap_store *x = a, *y = b;

	return (x->instruction > y->instruction) - (x->instruction < y->instruction);
}

static int compare_first_stores(const void *a, const void *b)
{
	const struct memphis_heatmap_store *x = a, *y = b;

	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return compare_stores(a, b);
}

/* By when they were made: who stored first has initialised it, if he did not go on. */
static int fill_stores(struct memphis_look *look, struct memphis_heatmap *heatmap,
		       struct memphis_heatmap_record *const *records, size_t count)
{
	struct memphis_heatmap_store *stores = calloc(count + 1, sizeof(*stores)), *last = NULL;
	size_t made = 0, i;

	if (!stores)
		return -ENOMEM;
	heatmap->stores = stores;
	for (i = 0; i < count; i++) {
		if (!(records[i]->flags & MEMPHIS_FLAG_STORE))
			continue;
		last = &stores[made++];
		last->instruction = memphis_look_instruction(look, records[i]);
		last->count = 1;
		last->first_ns = last->last_ns = records[i]->since_ns;
		if (last->instruction == MEMPHIS_NONE)
			return -ENOMEM;
	}
	qsort(stores, made, sizeof(*stores), compare_stores);
	for (last = NULL, i = 0; i < made; i++) {
		if (!last || last->instruction != stores[i].instruction) {
			last = &stores[heatmap->store_count++];
			*last = stores[i];
			continue;
		}
		last->count++;
		if (stores[i].first_ns < last->first_ns)
			last->first_ns = stores[i].first_ns;
		if (stores[i].last_ns > last->last_ns)
			last->last_ns = stores[i].last_ns;
	}
	if (heatmap->store_count > MEMPHIS_HEATMAP_STORES) {
		qsort(stores, heatmap->store_count, sizeof(*stores), compare_first_stores);
		heatmap->store_count = MEMPHIS_HEATMAP_STORES;
		qsort(stores, heatmap->store_count, sizeof(*stores), compare_stores);
	}
	heatmap->store_room = count + 1;
	shrink(&heatmap->stores, &heatmap->store_room, heatmap->store_count, sizeof(*stores));
	return 0;
}

static int compare_region_counts(const void *a, const void *b)
{
	const struct memphis_heatmap_region *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->region > y->region) - (x->region < y->region);
}

static int compare_regions(const void *a, const void *b)
{
	const struct memphis_heatmap_region *x = a, *y = b;

	return (x->region > y->region) - (x->region < y->region);
}

static int fill_regions(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			size_t count)
{
	struct memphis_heatmap_region *regions = calloc(count + 1, sizeof(*regions)), *last = NULL;
	size_t i;

	if (!regions)
		return -ENOMEM;
	heatmap->region_count = 0;
	for (i = 0; i < count; i++) {
		regions[i].region = records[i]->region;
		regions[i].count = 1;
		regions[i].remote = records[i]->selected && records[i]->node != records[i]->home &&
				    records[i]->home != MEMPHIS_NODE_UNKNOWN;
		regions[i].hitm = !!(records[i]->flags & MEMPHIS_FLAG_HITM);
	}
	qsort(regions, count, sizeof(*regions), compare_regions);
	for (i = 0; i < count; i++) {
		if (last && last->region == regions[i].region) {
			last->count++;
			last->remote += regions[i].remote;
			last->hitm += regions[i].hitm;
		} else {
			last = &regions[heatmap->region_count++];
			*last = regions[i];
		}
	}
	if (heatmap->region_count > MEMPHIS_HEATMAP_REGIONS) {
		qsort(regions, heatmap->region_count, sizeof(*regions), compare_region_counts);
		heatmap->region_count = MEMPHIS_HEATMAP_REGIONS;
		qsort(regions, heatmap->region_count, sizeof(*regions), compare_regions);
	}
	free(heatmap->regions);
	heatmap->regions = regions;
	heatmap->region_room = count + 1;
	return 0;
}

static int compare_fields(const void *a, const void *b)
{
	const struct memphis_heatmap_field *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static int compare_offsets(const void *a, const void *b)
{
	const struct memphis_heatmap_field *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return compare_fields(a, b);
}

static void merge_fields(struct memphis_heatmap *heatmap)
{
	struct memphis_heatmap_field *fields = heatmap->fields, *last = NULL;
	size_t count = heatmap->field_count, i;

	heatmap->field_count = 0;
	qsort(fields, count, sizeof(*fields), compare_fields);
	for (i = 0; i < count; i++) {
		if (!last || compare_fields(last, &fields[i])) {
			last = &fields[heatmap->field_count++];
			*last = fields[i];
			continue;
		}
		last->count += fields[i].count;
		last->stores += fields[i].stores;
		last->hitm += fields[i].hitm;
		last->selected += fields[i].selected;
		if (fields[i].offset < last->offset)
			last->offset = fields[i].offset;
	}
	qsort(fields, heatmap->field_count, sizeof(*fields), compare_offsets);
}

static int compare_record_offsets(const void *a, const void *b)
{
	const struct memphis_heatmap_record *x = *(struct memphis_heatmap_record *const *)a,
					    *y = *(struct memphis_heatmap_record *const *)b;

	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The member at an offset of the element, as a string of the profile; 0 = the elements have none. */
static int member_at(struct memphis_look *look, uint32_t owner, uint64_t offset, uint32_t *name,
		     uint64_t *element_bytes)
{
	struct memphis_field field;
	int rc;

	*name = 0;
	rc = memphis_field_of(look->namer, &look->numbers->owners[owner], offset, &field);
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	*element_bytes = field.element_bytes;
	if (field.member && *field.member)
		*name = memphis_profile_string(look->join->profile, field.member);
	memphis_field_close(&field);
	return *name == MEMPHIS_NONE ? -ENOMEM : 0;
}

static int origin_of(struct memphis_look *look, uint32_t owner, uint64_t *origin)
{
	int rc = memphis_field_origin(look->namer, &look->numbers->owners[owner], origin);

	return rc == -ENOENT ? 0 : rc;
}

/* Members are looked up once for each offset in the element. */
static int fill_fields(struct memphis_look *look, struct memphis_heatmap *heatmap,
		       struct memphis_heatmap_record **records, size_t count)
{
	uint32_t *names = NULL, number, owner = MEMPHIS_NONE;
	struct memphis_strings offsets = {0};
	struct memphis_heatmap_field *field;
	size_t room = 0, known = 0, i;
	uint64_t element, first = 0, origin = 0;
	struct {
		uint64_t offset;
		uint32_t owner, zero;
	} key = {0};
	int rc;

	for (key.owner = records[0]->owner, i = 1; i < count; i++)
		if (records[i]->owner < key.owner)
			key.owner = records[i]->owner;
	rc = member_at(look, key.owner, 0, &number, &first);
	if (rc || !first || first > UINT32_MAX || !number)
		return rc;
	heatmap->element_bytes = (uint32_t)first;
	/* In an order that does not depend on that of the files. */
	qsort(records, count, sizeof(*records), compare_record_offsets);
	for (i = 0; !rc && i < count; i++) {
		if (records[i]->offset == MEMPHIS_NO_OFFSET)
			continue;
		key.owner = records[i]->owner;
		if (key.owner != owner)
			rc = origin_of(look, key.owner, &origin);
		owner = key.owner;
		if (rc)
			break;
		if (records[i]->offset < origin)
			continue;
		key.offset = (records[i]->offset - origin) % first;
		if (known >= FIELD_LOOKUPS_MAX &&
		    memphis_strings_find(&offsets, &key, sizeof(key)) == MEMPHIS_NO_STRING)
			continue;
		number = memphis_strings_add(&offsets, &key, sizeof(key));
		if (number == MEMPHIS_NO_STRING || memphis_grow(&names, &room, number, sizeof(*names))) {
			rc = -ENOMEM;
			break;
		}
		if (number > known) {
			rc = member_at(look, key.owner, key.offset, &names[number - 1], &element);
			known = number;
		}
		if (rc || !names[number - 1])
			continue;
		field = memphis_append(heatmap->fields, heatmap->field_count, heatmap->field_room);
		if (!field) {
			rc = -ENOMEM;
			break;
		}
		field->name = names[number - 1];
		field->offset = (uint32_t)key.offset;
		field->node = records[i]->node;
		field->count = 1;
		field->stores = !!(records[i]->flags & MEMPHIS_FLAG_STORE);
		field->hitm = !!(records[i]->flags & MEMPHIS_FLAG_HITM);
		field->selected = records[i]->kinds & 1;
	}
	memphis_strings_close(&offsets);
	free(names);
	if (!rc)
		merge_fields(heatmap);
	return rc;
}

/* What does not hang on which samples are selected. */
static int fill(struct memphis_look *look, struct memphis_heatmap *heatmap,
		struct memphis_heatmap_record **records, size_t count)
{
	int rc;

	measure(heatmap, records, count);
	rc = find_renewed(heatmap, records, count);
	if (!rc)
		rc = fill_stores(look, heatmap, records, count);
	if (!rc)
		rc = memphis_heatmap_lines(heatmap, records, count);
	return rc ? rc : fill_fields(look, heatmap, records, count);
}

/* What does. */
static int fill_selected(struct memphis_look *look, struct memphis_heatmap *heatmap,
			 struct memphis_heatmap_record **records, size_t count)
{
	int rc;

	heatmap->spot_count = heatmap->use_count = 0;
	rc = fill_spots(heatmap, records, count);
	if (!rc)
		rc = fill_uses(look, heatmap, records, count);
	if (!rc)
		rc = fill_regions(heatmap, records, count);
	return rc;
}

static void select_records(struct memphis_heatmap *heatmap, unsigned int kind,
			   struct memphis_heatmap_record **records, size_t count)
{
	size_t i;

	heatmap->selected = 0;
	for (i = 0; i < count; i++) {
		records[i]->selected = records[i]->kinds >> kind & 1;
		heatmap->selected += records[i]->selected;
	}
}

/* Those of each leader side by side, as many as it counted, and in the order that they came in. */
static int gather(const struct memphis_look *look, const struct memphis_leader *leaders, size_t count,
		  struct memphis_heatmap_record **gathered)
{
	size_t variables = look->join->profile->variable_count, first = 0, i;
	struct memphis_heatmap_record ***next = calloc(variables + 1, sizeof(*next)), ***of;

	if (!next)
		return -ENOMEM;
	for (i = 0; i < count; first += leaders[i++].count)
		next[leaders[i].variable] = &gathered[first];
	for (i = 0; i < look->count; i++) {
		of = &next[look->numbers->variables[look->samples[i].owner]];
		if (*of)
			*(*of)++ = &look->samples[i];
	}
	free(next);
	return 0;
}

/* May these samples be evidence of something? Most are not, and are not looked at any closer. */
static bool is_suspect(const struct memphis_look *look, struct memphis_heatmap_record *const *records,
		       size_t count, unsigned int kind)
{
	const bool places = memphis_evidence_of_places(look->kinds[kind].kind);
	size_t remote = 0, hitm = 0, i;

	for (i = 0; i < count; i++) {
		remote += (records[i]->kinds >> kind & 1) && records[i]->node != records[i]->home;
		hitm += !!(records[i]->flags & MEMPHIS_FLAG_HITM);
	}
	return (places && remote >= MEMPHIS_FINDING_SAMPLES) || hitm >= MEMPHIS_FINDING_SAMPLES;
}

/*
 * What the variable is evidence of, for each kind of samples; last that one whose samples a close-up is kept of. Where samples stand is added
 * up again only for those that are asked for it: it is what takes time.
 */
static int look_closer(struct memphis_look *look, struct memphis_heatmap *heatmap,
		       const struct memphis_leader *leader, struct memphis_heatmap_record **records)
{
	unsigned int kind = look->kind_count;
	bool filled = false;
	int rc = 0;

	while (!rc && kind--) {
		if (!(leader->kinds >> kind & 1) || (kind && !is_suspect(look, records, leader->count, kind)))
			continue;
		select_records(heatmap, kind, records, leader->count);
		if (!filled)
			rc = fill(look, heatmap, records, leader->count);
		if (!rc && (!filled || !kind || memphis_evidence_of_places(look->kinds[kind].kind)))
			rc = fill_selected(look, heatmap, records, leader->count);
		filled = true;
		if (!rc)
			rc = memphis_evidence_add(look->join->profile, heatmap, look->kinds[kind].kind,
						  look->stores);
	}
	return rc;
}

/* A profile of many processes keeps none that it is saved with: they would take as much room as all else of the processes. */
static bool keeps_heatmaps(const struct memphis_look *look)
{
	return !look->join->selection->all_apart ||
	       look->join->profile->processes.count <= MEMPHIS_HEATMAP_PROCESSES;
}

static int make_heatmap(struct memphis_look *look, const struct memphis_leader *leader,
			struct memphis_heatmap_record **records)
{
	struct memphis_profile *profile = look->join->profile;
	struct memphis_heatmap heatmap = {.process = (uint32_t)look->process, .variable = leader->variable},
			       *kept;
	int rc;

	heatmap.one_in = look->of > look->wanted ? (look->of + look->wanted - 1) / look->wanted : 1;
	rc = look_closer(look, &heatmap, leader, records);
	profile->processes.list[look->process].heatmaps += leader->kinds & 1;
	if (rc || !(leader->kinds & 1) || !keeps_heatmaps(look)) {
		memphis_heatmap_close(&heatmap);
		return rc;
	}
	shrink(&heatmap.spots, &heatmap.spot_room, heatmap.spot_count, sizeof(*heatmap.spots));
	shrink(&heatmap.uses, &heatmap.use_room, heatmap.use_count, sizeof(*heatmap.uses));
	shrink(&heatmap.fields, &heatmap.field_room, heatmap.field_count, sizeof(*heatmap.fields));
	shrink(&heatmap.regions, &heatmap.region_room, heatmap.region_count, sizeof(*heatmap.regions));
	kept = memphis_append(profile->heatmaps, profile->heatmap_count, profile->heatmap_room);
	if (!kept) {
		memphis_heatmap_close(&heatmap);
		return -ENOMEM;
	}
	*kept = heatmap;
	return 0;
}

static int make_heatmaps(struct memphis_look *look)
{
	struct memphis_heatmap_record **records, **first;
	struct memphis_leader *leaders;
	size_t count, i;
	int rc;

	rc = memphis_leaders_find(look, &leaders, &count);
	records = first = malloc((look->count + 1) * sizeof(*records));
	if (!records)
		rc = -ENOMEM;
	if (!rc)
		rc = gather(look, leaders, count, records);
	for (i = 0; !rc && i < count; first += leaders[i++].count)
		rc = make_heatmap(look, &leaders[i], first);
	free(records);
	free(leaders);
	return rc;
}

int memphis_heatmaps_make(struct memphis_namer *namer, const struct memphis_owner_numbers *numbers,
			  struct memphis_error *error)
{
	const struct memphis_selection *selection = namer->join->selection;
	const struct memphis_processes *processes = namer->join->processes;
	struct memphis_look look;
	size_t i;
	int rc;

	rc = memphis_look_open(&look, namer, numbers);
	if (rc)
		memphis_fail(error, rc, "out of memory");
	for (i = 0; !rc && i < processes->count; i++) {
		if (!memphis_selection_has(selection, &processes->list[i]))
			continue;
		rc = memphis_look_read(&look, i, MEMPHIS_HEATMAP_READ, error);
		if (!rc && make_heatmaps(&look))
			rc = memphis_fail(error, -ENOMEM, "out of memory");
	}
	memphis_look_close(&look);
	return rc;
}

void memphis_heatmap_close(struct memphis_heatmap *heatmap)
{
	free(heatmap->spots);
	free(heatmap->uses);
	free(heatmap->fields);
	free(heatmap->words);
	free(heatmap->regions);
	free(heatmap->stores);
	memset(heatmap, 0, sizeof(*heatmap));
}
