// SPDX-License-Identifier: BSD-3-Clause
/* A closer look at the leading variables of each process. */
#include "closeup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "closeup_record.h"
#include "decode.h"
#include "fields.h"
#include "variables.h"

#define CACHE_SLOTS       4096 /* a power of two */
#define CACHE_PAGE_SHIFT  12
#define FIELD_LOOKUPS_MAX 20000 /* of a variable: debug information is slow */
#define CHUNKS_MIN        16    /* of a thread that are looked into, so that all times are seen */

struct cached {
	struct memphis_answer answer; /* high = 0: nothing cached */
	uint64_t base;                /* address of the variable or block; 0 = not known */
	uint32_t owner;
};

struct look {
	struct memphis_namer *namer;
	struct memphis_join *join;
	const struct memphis_owner_numbers *numbers;
	size_t process;
	struct memphis_closeup_record *records;
	size_t count, room;
	uint64_t wanted; /* samples of the process that are to be looked at */
	uint64_t of;     /* all that there are */
	struct cached cache[CACHE_SLOTS];
};

/* Where an owner begins that stands at `address`. */
static uint64_t base_of(struct look *look, const struct memphis_answer *answer, uint64_t address,
			uint64_t time_ns)
{
	const struct memphis_owner *owner = &answer->owner;
	uint64_t vaddr, from_ns, to_ns;
	const struct memphis_binary *binary;

	/* Of a block it is told unless other blocks stand inside. */
	if (owner->kind == MEMPHIS_OWNER_GROUP)
		return answer->high - answer->low > 1 ? answer->low : 0;
	if (owner->kind != MEMPHIS_OWNER_STATIC)
		return 0;
	if (memphis_join_code(look->join, look->process, address, time_ns, &vaddr, &from_ns, &to_ns) !=
	    owner->index)
		return 0;
	binary = look->join->processes->binaries.list[owner->index];
	return address - (vaddr - binary->variables->list[owner->item].low);
}

/* NULL without memory. */
static const struct cached *owner_at(struct look *look, const struct memphis_sample *sample)
{
	struct cached *cached = &look->cache[sample->address >> CACHE_PAGE_SHIFT & (CACHE_SLOTS - 1)];
	struct memphis_answer *answer = &cached->answer;

	if (sample->address >= answer->low && sample->address < answer->high &&
	    sample->time_ns >= answer->from_ns && sample->time_ns < answer->to_ns)
		return cached;
	memset(cached, 0, sizeof(*cached));
	if (memphis_join_address(look->join, look->process, sample->address, sample->time_ns, answer)) {
		memset(cached, 0, sizeof(*cached));
		return NULL;
	}
	cached->owner = MEMPHIS_NONE;
	if (answer->owner.reason == MEMPHIS_ATTRIBUTED)
		cached->owner = memphis_owner_number(look->numbers, &answer->owner);
	if (cached->owner != MEMPHIS_NONE)
		cached->base = base_of(look, answer, sample->address, sample->time_ns);
	return cached;
}

static int add_record(struct look *look, uint32_t thread, const struct memphis_sample *sample)
{
	const struct memphis_joined_process *joined = &look->join->list[look->process];
	struct memphis_access access = memphis_access_of(sample);
	const struct cached *cached = owner_at(look, sample);
	struct memphis_closeup_record *record;

	if (!cached)
		return -ENOMEM;
	if (cached->owner == MEMPHIS_NONE)
		return 0;
	record = memphis_append(look->records, look->count, look->room);
	if (!record)
		return -ENOMEM;
	record->address = sample->address;
	record->since_ns = sample->time_ns > joined->start_ns ? sample->time_ns - joined->start_ns : 0;
	record->offset = cached->base ? sample->address - cached->base : MEMPHIS_NO_OFFSET;
	record->owner = cached->owner;
	record->thread = thread;
	record->node = sample->node;
	record->home = sample->home_node;
	record->flags = sample->flags;
	record->selected = memphis_selection_takes(look->join->selection, &access) &&
			   (!joined->regions ||
			    (sample->region < joined->region_count && joined->regions[sample->region]));
	return 0;
}

/* The first samples of a chunk: as many as `part` of `of` says. */
static int read_chunk(struct look *look, uint32_t thread, const struct memphis_chunk_view *chunk,
		      uint64_t part, uint64_t of)
{
	uint64_t left = (chunk->count * part + of - 1) / of;
	struct memphis_decoder decoder;
	int rc = 0;

	memphis_decoder_start(&decoder, chunk->payload, chunk->bytes, chunk->count);
	for (; !rc && left && memphis_decoder_next(&decoder) > 0; left--)
		rc = add_record(look, thread, &decoder.sample);
	return rc;
}

static int read_thread(struct look *look, uint32_t number, struct memphis_error *error)
{
	const struct memphis_thread *thread = &look->join->list[look->process].process->threads[number];
	uint64_t one_in = (look->of + look->wanted - 1) / look->wanted, stride, at = 0;
	struct memphis_chunk_view chunk;
	struct memphis_file file;
	int rc;

	stride = thread->chunks / CHUNKS_MIN < one_in ? thread->chunks / CHUNKS_MIN : one_in;
	if (!stride)
		stride = 1;
	rc = memphis_file_open(&file, thread->path, error);
	if (rc)
		return rc;
	while ((rc = memphis_file_next(&file, &chunk, error)) > 0) {
		if (chunk.type != MEMPHIS_CHUNK_SAMPLES || at++ % stride)
			continue;
		rc = memphis_file_payload(&file, &chunk, error);
		if (!rc && read_chunk(look, number, &chunk, stride, one_in))
			rc = memphis_fail(error, -ENOMEM, "%s: out of memory", file.path);
		if (rc)
			break;
	}
	memphis_file_close(&file);
	return rc;
}

struct leader {
	uint32_t variable;
	uint64_t count, selected;
};

static int compare_leaders(const void *a, const void *b)
{
	const struct leader *x = a, *y = b;

	if (x->selected != y->selected)
		return x->selected > y->selected ? -1 : 1;
	return (x->variable > y->variable) - (x->variable < y->variable);
}

/* The variables with most selected samples first; *leaders is malloc'ed. */
static int find_leaders(const struct look *look, struct leader **leaders, size_t *count)
{
	size_t variables = look->join->profile->variable_count, i;
	struct leader *leader;

	*count = 0;
	*leaders = calloc(variables + 1, sizeof(**leaders));
	if (!*leaders)
		return -ENOMEM;
	for (i = 0; i < variables; i++)
		(*leaders)[i].variable = (uint32_t)i;
	for (i = 0; i < look->count; i++) {
		leader = &(*leaders)[look->numbers->variables[look->records[i].owner]];
		leader->count++;
		leader->selected += look->records[i].selected;
	}
	qsort(*leaders, variables, sizeof(**leaders), compare_leaders);
	while (*count < MEMPHIS_CLOSEUPS && *count < variables && (*leaders)[*count].selected)
		(*count)++;
	return 0;
}

static unsigned int shift_for(uint64_t low, uint64_t high, uint64_t bins)
{
	unsigned int shift = 0;

	while ((high >> shift) - (low >> shift) >= bins)
		shift++;
	return shift;
}

static void measure(struct memphis_closeup *closeup, struct memphis_closeup_record *const *records,
		    size_t count)
{
	size_t i;

	closeup->low = closeup->high = records[0]->address;
	closeup->from_ns = closeup->to_ns = records[0]->since_ns;
	for (i = 0; i < count; i++) {
		if (records[i]->address < closeup->low)
			closeup->low = records[i]->address;
		if (records[i]->address > closeup->high)
			closeup->high = records[i]->address;
		if (records[i]->since_ns < closeup->from_ns)
			closeup->from_ns = records[i]->since_ns;
		if (records[i]->since_ns > closeup->to_ns)
			closeup->to_ns = records[i]->since_ns;
		closeup->selected += records[i]->selected;
	}
	closeup->samples = count;
	closeup->bin_shift = shift_for(closeup->low, closeup->high, MEMPHIS_CLOSEUP_BINS);
	closeup->tick_shift = shift_for(closeup->from_ns, closeup->to_ns, MEMPHIS_CLOSEUP_TICKS);
}

static uint16_t bin_of(const struct memphis_closeup *closeup, uint64_t address)
{
	return (uint16_t)((address >> closeup->bin_shift) - (closeup->low >> closeup->bin_shift));
}

static int compare_spots(const void *a, const void *b)
{
	const struct memphis_closeup_spot *x = a, *y = b;

	if (x->tick != y->tick)
		return x->tick < y->tick ? -1 : 1;
	if (x->bin != y->bin)
		return x->bin < y->bin ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->home > y->home) - (x->home < y->home);
}

static int fill_spots(struct memphis_closeup *closeup, struct memphis_closeup_record *const *records,
		      size_t count)
{
	struct memphis_closeup_spot *spots, *last = NULL;
	size_t i;

	if (memphis_grow(&closeup->spots, &closeup->spot_room, count, sizeof(*spots)))
		return -ENOMEM;
	spots = closeup->spots;
	for (i = 0; i < count; i++)
		spots[i] = (struct memphis_closeup_spot){
			.bin = bin_of(closeup, records[i]->address),
			.tick = (uint16_t)((records[i]->since_ns >> closeup->tick_shift) -
					   (closeup->from_ns >> closeup->tick_shift)),
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
			last = &spots[closeup->spot_count++];
			*last = spots[i];
		}
	}
	return 0;
}

static int compare_uses(const void *a, const void *b)
{
	const struct memphis_closeup_use *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->bin != y->bin)
		return x->bin < y->bin ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static int fill_uses(struct memphis_closeup *closeup, struct memphis_closeup_record *const *records,
		     size_t count)
{
	struct memphis_closeup_use *uses, *last = NULL;
	size_t i;

	if (memphis_grow(&closeup->uses, &closeup->use_room, count, sizeof(*uses)))
		return -ENOMEM;
	uses = closeup->uses;
	for (i = 0; i < count; i++)
		uses[i] = (struct memphis_closeup_use){.thread = records[i]->thread,
						       .node = records[i]->node,
						       .bin = bin_of(closeup, records[i]->address),
						       .count = 1,
						       .stores = !!(records[i]->flags & MEMPHIS_FLAG_STORE),
						       .selected = records[i]->selected,
						       .first_ns = records[i]->since_ns};
	qsort(uses, count, sizeof(*uses), compare_uses);
	for (i = 0; i < count; i++) {
		if (last && !compare_uses(last, &uses[i])) {
			last->count++;
			last->stores += uses[i].stores;
			last->selected += uses[i].selected;
			if (uses[i].first_ns < last->first_ns)
				last->first_ns = uses[i].first_ns;
		} else {
			last = &uses[closeup->use_count++];
			*last = uses[i];
		}
	}
	return 0;
}

static int compare_fields(const void *a, const void *b)
{
	const struct memphis_closeup_field *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static int compare_offsets(const void *a, const void *b)
{
	const struct memphis_closeup_field *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return compare_fields(a, b);
}

static void merge_fields(struct memphis_closeup *closeup)
{
	struct memphis_closeup_field *fields = closeup->fields, *last = NULL;
	size_t count = closeup->field_count, i;

	closeup->field_count = 0;
	qsort(fields, count, sizeof(*fields), compare_fields);
	for (i = 0; i < count; i++) {
		if (!last || compare_fields(last, &fields[i])) {
			last = &fields[closeup->field_count++];
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
	qsort(fields, closeup->field_count, sizeof(*fields), compare_offsets);
}

static int compare_record_offsets(const void *a, const void *b)
{
	const struct memphis_closeup_record *x = *(struct memphis_closeup_record *const *)a,
					    *y = *(struct memphis_closeup_record *const *)b;

	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The member at an offset of the element, as a string of the profile; 0 = the elements have none. */
static int member_at(struct look *look, uint32_t owner, uint64_t offset, uint32_t *name,
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

/* Members are looked up once for each offset in the element. */
static int fill_fields(struct look *look, struct memphis_closeup *closeup,
		       struct memphis_closeup_record **records, size_t count)
{
	struct memphis_strings offsets = {0};
	uint32_t *names = NULL, number;
	struct memphis_closeup_field *field;
	size_t room = 0, known = 0, i;
	uint64_t element, first = 0;
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
	closeup->element_bytes = (uint32_t)first;
	/* In an order that does not depend on that of the files. */
	qsort(records, count, sizeof(*records), compare_record_offsets);
	for (i = 0; !rc && i < count; i++) {
		if (records[i]->offset == MEMPHIS_NO_OFFSET)
			continue;
		key.owner = records[i]->owner;
		key.offset = records[i]->offset % first;
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
		field = memphis_append(closeup->fields, closeup->field_count, closeup->field_room);
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
		field->selected = records[i]->selected;
	}
	memphis_strings_close(&offsets);
	free(names);
	if (!rc)
		merge_fields(closeup);
	return rc;
}

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

static int fill(struct look *look, struct memphis_closeup *closeup, struct memphis_closeup_record **records,
		size_t count)
{
	int rc;

	measure(closeup, records, count);
	rc = fill_spots(closeup, records, count);
	if (!rc)
		rc = fill_uses(closeup, records, count);
	if (!rc)
		rc = memphis_closeup_lines(closeup, records, count);
	if (!rc)
		rc = fill_fields(look, closeup, records, count);
	shrink(&closeup->spots, &closeup->spot_room, closeup->spot_count, sizeof(*closeup->spots));
	shrink(&closeup->uses, &closeup->use_room, closeup->use_count, sizeof(*closeup->uses));
	shrink(&closeup->fields, &closeup->field_room, closeup->field_count, sizeof(*closeup->fields));
	return rc;
}

/* Those of each leader side by side, as many as it counted, and in the order that they came in. */
static int gather(const struct look *look, const struct leader *leaders, size_t count,
		  struct memphis_closeup_record **gathered)
{
	size_t variables = look->join->profile->variable_count, first = 0, i;
	struct memphis_closeup_record ***next = calloc(variables + 1, sizeof(*next)), ***of;

	if (!next)
		return -ENOMEM;
	for (i = 0; i < count; first += leaders[i++].count)
		next[leaders[i].variable] = &gathered[first];
	for (i = 0; i < look->count; i++) {
		of = &next[look->numbers->variables[look->records[i].owner]];
		if (*of)
			*(*of)++ = &look->records[i];
	}
	free(next);
	return 0;
}

static int make_closeups(struct look *look)
{
	struct memphis_profile *profile = look->join->profile;
	struct memphis_closeup *closeup;
	struct memphis_closeup_record **records, **first;
	struct leader *leaders;
	size_t count, i;
	int rc;

	rc = find_leaders(look, &leaders, &count);
	records = first = malloc((look->count + 1) * sizeof(*records));
	if (!records)
		rc = -ENOMEM;
	if (!rc)
		rc = gather(look, leaders, count, records);
	for (i = 0; !rc && i < count; first += leaders[i++].count) {
		closeup = memphis_append(profile->closeups, profile->closeup_count, profile->closeup_room);
		if (!closeup) {
			rc = -ENOMEM;
			break;
		}
		closeup->process = (uint32_t)look->process;
		closeup->variable = leaders[i].variable;
		closeup->one_in = look->of > look->wanted ? (look->of + look->wanted - 1) / look->wanted : 1;
		rc = fill(look, closeup, first, leaders[i].count);
	}
	free(records);
	free(leaders);
	return rc;
}

static int look_at_process(struct look *look, size_t number, struct memphis_error *error)
{
	const struct memphis_process *process = look->join->list[number].process;
	uint32_t i;
	int rc = 0;

	memset(look->cache, 0, sizeof(look->cache));
	look->process = number;
	look->count = 0;
	look->of = 0;
	for (i = 0; i < process->thread_count; i++)
		look->of += process->threads[i].samples;
	look->wanted = look->of < MEMPHIS_CLOSEUP_READ ? look->of : MEMPHIS_CLOSEUP_READ;
	for (i = 0; !rc && look->of && i < process->thread_count; i++)
		rc = read_thread(look, i, error);
	if (!rc && make_closeups(look))
		rc = memphis_fail(error, -ENOMEM, "out of memory");
	return rc;
}

int memphis_closeups_make(struct memphis_namer *namer, const struct memphis_owner_numbers *numbers,
			  struct memphis_error *error)
{
	const struct memphis_selection *selection = namer->join->selection;
	const struct memphis_processes *processes = namer->join->processes;
	struct look *look = calloc(1, sizeof(*look));
	size_t i;
	int rc = 0;

	if (!look)
		return memphis_fail(error, -ENOMEM, "out of memory");
	look->namer = namer;
	look->join = namer->join;
	look->numbers = numbers;
	for (i = 0; !rc && i < processes->count; i++)
		if (selection->pid < 0 || processes->list[i].pid == selection->pid)
			rc = look_at_process(look, i, error);
	free(look->records);
	free(look);
	return rc;
}

void memphis_closeup_close(struct memphis_closeup *closeup)
{
	free(closeup->spots);
	free(closeup->uses);
	free(closeup->fields);
	free(closeup->words);
	memset(closeup, 0, sizeof(*closeup));
}
