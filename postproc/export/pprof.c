// SPDX-License-Identifier: BSD-3-Clause
/*
 * Exports a profile for pprof (format: pprof.proto), compressed with gzip. Each cell of the profile becomes a
 * sample of pprof. The leaf of its call stack is the variable, so that pprof lists variables like functions.
 * The caller of the leaf is the instruction, together with the functions that were inlined there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "export/export.h"
#include "base/outfile.h"
#include "export/pprof.pb-c.h"
#include "view/columns.h"

#define LABELS_MAX 5

struct build {
	const struct memphis_profile *profile;
	const struct memphis_rows *rows;
	Pprof__Profile message;
	struct memphis_strings strings; /* string table of the message */
	struct memphis_strings function_keys;
	Pprof__Function *functions;
	size_t function_room;
	/* locations of all instructions, followed by the locations of all variables */
	Pprof__Location *locations;
	Pprof__Line *lines;
	Pprof__Sample *samples;
	Pprof__Label *labels;
	int64_t *values;
	uint64_t *location_ids;
	size_t location_count; /* number of entries of `location_ids` that are in use */
	bool failed;           /* true: memory is exhausted */
};

static int64_t intern_text(struct build *build, const char *text)
{
	uint32_t number = memphis_strings_add_text(&build->strings, text ? text : "");

	build->failed = build->failed || number == MEMPHIS_NO_STRING;
	return number;
}

static int64_t intern_profile_text(struct build *build, uint32_t string)
{
	return intern_text(build, memphis_profile_text(build->profile, string));
}

/*
 * Returns the id of the function with this name and file, which is added if it is new. `name` and `file` are
 * indices in the string table.
 */
static uint64_t add_function(struct build *build, int64_t name, int64_t file)
{
	const int64_t key[] = {name, file};
	uint32_t number = memphis_strings_add(&build->function_keys, key, sizeof(key));
	size_t count = build->message.n_function;
	Pprof__Function *added;

	if (number == MEMPHIS_NO_STRING) {
		build->failed = true;
		return 0;
	}
	if (number <= count)
		return number;
	added = memphis_append(build->functions, build->message.n_function, build->function_room);
	if (!added) {
		build->failed = true;
		return 0;
	}
	pprof__function__init(added);
	added->id = number;
	added->name = added->system_name = name;
	added->filename = file;
	return number;
}

/* Returns an array of pointers to the elements of `array`, as protobuf-c requires. */
static void *list_pointers(struct build *build, void *array, size_t count, size_t bytes)
{
	char **list = malloc((count + 1) * sizeof(*list));
	size_t i;

	if (!list)
		build->failed = true;
	for (i = 0; list && i < count; i++)
		list[i] = (char *)array + i * bytes;
	return list;
}

/* Sets the types of the sample values. The unit of the period is accesses. */
static void add_types(struct build *build, Pprof__ValueType *types)
{
	const struct memphis_column *column = NULL;
	Pprof__ValueType *type = types;

	while ((column = memphis_column_next(column, MEMPHIS_IN_PPROF))) {
		pprof__value_type__init(type);
		type->type = intern_text(build, column->title);
		type->unit = intern_text(build, column->unit);
		if (!strcmp(column->key, "accesses"))
			build->message.period_type = type;
		type++;
	}
	build->message.n_sample_type = (size_t)(type - types);
	build->message.sample_type =
		list_pointers(build, types, build->message.n_sample_type, sizeof(*types));
	build->message.default_sample_type = types->type;
}

/* Sets the time range of the message to the time range of the whole run, by the real-time clocks of the hosts. */
static void add_times(struct build *build)
{
	const struct memphis_processes *processes = &build->profile->processes;
	uint64_t first = UINT64_MAX, last = 0, start, stop;
	size_t i;

	for (i = 0; i < processes->count; i++) {
		start = memphis_setting_number(&processes->list[i].settings, "start_realtime_ns", 0);
		stop = memphis_setting_number(&processes->list[i].settings, "stop_realtime_ns", start);
		first = start < first ? start : first;
		last = stop > last ? stop : last;
	}
	if (processes->count && first < last) {
		build->message.time_nanos = (int64_t)first;
		build->message.duration_nanos = (int64_t)(last - first);
	}
	if (processes->count)
		build->message.period =
			(int64_t)memphis_setting_number(&processes->list[0].settings, "period", 0);
}

/* Makes the program the first mapping, as pprof expects. */
static void put_program_first(struct build *build)
{
	const struct memphis_processes *processes = &build->profile->processes;
	const char *program =
		processes->count ? memphis_setting(&processes->list[0].settings, "executable") : NULL;
	Pprof__Mapping **list = build->message.mapping, *first;
	size_t i;

	for (i = 0; list && program && i < build->profile->object_count; i++) {
		if (strcmp(memphis_profile_text(build->profile, build->profile->objects[i].path), program))
			continue;
		first = list[i];
		memmove(list + 1, list, i * sizeof(*list));
		list[0] = first;
	}
}

static void add_mappings(struct build *build, Pprof__Mapping *mappings)
{
	const struct memphis_profile *profile = build->profile;
	const struct memphis_instruction *instruction;
	const char *build_id;
	size_t i;

	for (i = 0; i < profile->object_count; i++) {
		pprof__mapping__init(&mappings[i]);
		mappings[i].id = i + 1;
		mappings[i].filename = intern_profile_text(build, profile->objects[i].path);
		build_id = memphis_profile_text(profile, profile->objects[i].build_id);
		if (build_id && memphis_is_build_id(build_id))
			mappings[i].build_id = intern_profile_text(build, profile->objects[i].build_id);
		/* Set these so that pprof does not look up symbols itself. They are already resolved. */
		mappings[i].has_functions = mappings[i].has_filenames = mappings[i].has_line_numbers =
			mappings[i].has_inline_frames = true;
	}
	for (i = 0; i < profile->instruction_count; i++) {
		instruction = &profile->instructions[i];
		if (instruction->object != MEMPHIS_NONE &&
		    instruction->pc >= mappings[instruction->object].memory_limit)
			mappings[instruction->object].memory_limit = instruction->pc + 1;
	}
	build->message.n_mapping = profile->object_count;
	build->message.mapping = list_pointers(build, mappings, profile->object_count, sizeof(*mappings));
	put_program_first(build);
}

static int64_t function_name(struct build *build, const struct memphis_instruction *instruction,
			     uint32_t frame)
{
	const struct memphis_profile *profile = build->profile;
	char room[32];

	if (profile->frames[frame].function)
		return intern_profile_text(build, profile->frames[frame].function);
	snprintf(room, sizeof(room), "0x%llx", (unsigned long long)instruction->pc);
	return intern_text(build, room);
}

/* Adds the locations of all instructions. The id of instruction i is i + 1. */
static void add_instructions(struct build *build)
{
	const struct memphis_profile *profile = build->profile;
	const struct memphis_instruction *instruction;
	Pprof__Location *location;
	uint32_t i, frame;

	for (i = 0; i < profile->instruction_count; i++) {
		instruction = &profile->instructions[i];
		location = &build->locations[i];
		pprof__location__init(location);
		location->id = i + 1;
		location->address = instruction->pc;
		location->mapping_id = instruction->object == MEMPHIS_NONE ? 0 : instruction->object + 1;
		for (frame = instruction->frame; frame < instruction->frame + instruction->frame_count;
		     frame++) {
			pprof__line__init(&build->lines[frame]);
			build->lines[frame].line = profile->frames[frame].line;
			build->lines[frame].function_id =
				add_function(build, function_name(build, instruction, frame),
					     intern_profile_text(build, profile->frames[frame].path));
		}
		location->n_line = instruction->frame_count;
		location->line = list_pointers(build, &build->lines[instruction->frame], location->n_line,
					       sizeof(*build->lines));
	}
}

/*
 * Changes a name <name> to {name}. pprof would remove angle brackets as template arguments, and parentheses as
 * parameters.
 */
static void replace_angle_brackets(char *name)
{
	size_t bytes = strlen(name);

	if (bytes > 1 && name[0] == '<' && name[bytes - 1] == '>') {
		name[0] = '{';
		name[bytes - 1] = '}';
	}
}

/* Adds each variable as a function with a name such as "[heap] tx". Its file name is the allocation site. */
static void add_variables(struct build *build)
{
	const struct memphis_profile *profile = build->profile;
	const struct memphis_variable *variable;
	struct memphis_text name = {0};
	Pprof__Location *location;
	Pprof__Line *line;
	size_t i;

	for (i = 0; i < profile->variable_count; i++) {
		variable = &profile->variables[i];
		location = &build->locations[profile->instruction_count + i];
		line = &build->lines[profile->frame_count + i];
		pprof__location__init(location);
		pprof__line__init(line);
		memphis_text_print(&name, "[%s] %s", memphis_profile_text(profile, variable->segment),
				   memphis_shown_name(profile, (uint32_t)i));
		build->failed = build->failed || name.failed;
		if (!name.failed)
			replace_angle_brackets(strchr(name.text, ']') + 2);
		location->id = profile->instruction_count + i + 1;
		line->function_id = add_function(build, intern_text(build, name.failed ? "" : name.text),
						 intern_profile_text(build, variable->site));
		location->n_line = 1;
		location->line = list_pointers(build, line, 1, sizeof(*line));
		memphis_text_close(&name);
	}
}

static void add_label(struct build *build, Pprof__Sample *sample, const char *key, int64_t value)
{
	Pprof__Label *label = sample->label[sample->n_label++];

	pprof__label__init(label);
	label->key = intern_text(build, key);
	label->str = value;
}

static int64_t node_text(struct build *build, uint16_t node)
{
	char room[16] = "?";

	if (node != MEMPHIS_NODE_UNKNOWN)
		snprintf(room, sizeof(room), "%u", node);
	return intern_text(build, room);
}

/* Stores the location ids of the calls that led to the instruction in `ids`, unless `ids` is NULL. Returns their number. */
static size_t list_calls(const struct memphis_profile *profile, uint32_t instruction, uint64_t *ids)
{
	const uint32_t number = profile->instructions[instruction].chain;
	const struct memphis_chain *chain = number == MEMPHIS_NONE ? NULL : &profile->chains[number];
	uint32_t i;

	for (i = 0; chain && ids && i < chain->call_count; i++)
		ids[i] = profile->calls[chain->call + i] + 1;
	return chain ? chain->call_count : 0;
}

/* Returns the number of locations in the call stacks of all samples. */
static size_t count_locations(const struct memphis_profile *profile)
{
	size_t count = 0, i;

	for (i = 0; i < profile->cell_count; i++)
		count += 2 + list_calls(profile, profile->cells[i].key.instruction, NULL);
	return count;
}

static void add_values(struct build *build, const struct memphis_cell *cell, Pprof__Sample *sample)
{
	const struct memphis_sum sum = memphis_sum_of(&build->rows->waiting, cell);
	const struct memphis_shown shown = {.rows = build->rows, .sum = &sum};
	const struct memphis_column *column = NULL;
	struct memphis_shown_value value;

	while ((column = memphis_column_next(column, MEMPHIS_IN_PPROF))) {
		value = column->get(&shown);
		sample->value[sample->n_value++] =
			column->kind == MEMPHIS_SHOWN_NUMBER ? (int64_t)value.number : (int64_t)value.real;
	}
}

static void add_sample(struct build *build, const struct memphis_cell *cell, size_t number)
{
	const struct memphis_profile *profile = build->profile;
	const struct memphis_variable *variable = &profile->variables[cell->key.variable];
	Pprof__Sample *sample = &build->samples[number];

	pprof__sample__init(sample);
	sample->location_id = &build->location_ids[build->location_count];
	sample->location_id[0] = profile->instruction_count + cell->key.variable + 1;
	sample->location_id[1] = cell->key.instruction + 1;
	sample->n_location_id = 2 + list_calls(profile, cell->key.instruction, &sample->location_id[2]);
	build->location_count += sample->n_location_id;
	sample->value = &build->values[build->message.n_sample_type * number];
	add_values(build, cell, sample);
	sample->label =
		list_pointers(build, &build->labels[LABELS_MAX * number], LABELS_MAX, sizeof(*build->labels));
	if (!sample->label)
		return;
	add_label(build, sample, "node", node_text(build, cell->key.access.node));
	add_label(build, sample, "home", node_text(build, cell->key.access.home));
	add_label(build, sample, "segment", intern_profile_text(build, variable->segment));
	add_label(build, sample, "variable",
		  intern_text(build, memphis_shown_name(profile, cell->key.variable)));
	if (profile->by_region && profile->regions[cell->key.region].name)
		add_label(build, sample, "region",
			  intern_profile_text(build, profile->regions[cell->key.region].name));
}

static void add_strings(struct build *build)
{
	const struct memphis_strings *strings = &build->strings;
	ProtobufCBinaryData *list = malloc((strings->count + 1) * sizeof(*list));
	size_t i;

	if (!list)
		build->failed = true;
	for (i = 0; list && i < strings->count; i++)
		list[i] = (ProtobufCBinaryData){memphis_strings_bytes(strings, i),
						(uint8_t *)memphis_strings_get(strings, i)};
	build->message.n_string_table = strings->count;
	build->message.string_table = list;
}

static int write_compressed(const Pprof__Profile *message, const char *path, struct memphis_error *error)
{
	size_t bytes = pprof__profile__get_packed_size(message);
	uint8_t *packed = malloc(bytes + 1);
	struct memphis_text out = {0};
	z_stream zip = {0};
	int rc;

	if (bytes > UINT32_MAX / 2 || !packed ||
	    deflateInit2(&zip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY)) {
		free(packed);
		return memphis_fail(error, -ENOMEM, "out of memory");
	}
	pprof__profile__pack(message, packed);
	out.room = deflateBound(&zip, bytes);
	out.text = malloc(out.room);
	zip.next_in = packed;
	zip.avail_in = (uInt)bytes;
	zip.next_out = (Bytef *)out.text;
	zip.avail_out = (uInt)out.room;
	rc = out.text && deflate(&zip, Z_FINISH) == Z_STREAM_END ? 0 : -ENOMEM;
	out.bytes = zip.total_out;
	deflateEnd(&zip);
	free(packed);
	if (!rc)
		return memphis_outfile_write(path, &out, error);
	memphis_text_close(&out);
	return memphis_fail(error, rc, "out of memory");
}

static void release_message(struct build *build)
{
	const size_t locations = build->profile->instruction_count + build->profile->variable_count;
	size_t i;

	for (i = 0; build->locations && i < locations; i++)
		free(build->locations[i].line);
	for (i = 0; build->samples && i < build->profile->cell_count; i++)
		free(build->samples[i].label);
	free(build->message.mapping);
	free(build->message.sample_type);
	free(build->message.location);
	free(build->message.sample);
	free(build->message.function);
	free(build->message.string_table);
	free(build->functions);
	free(build->locations);
	free(build->lines);
	free(build->samples);
	free(build->labels);
	free(build->values);
	free(build->location_ids);
	memphis_strings_close(&build->strings);
	memphis_strings_close(&build->function_keys);
}

static void fill_message(struct build *build, Pprof__Mapping *mappings)
{
	const struct memphis_profile *profile = build->profile;
	const size_t locations = profile->instruction_count + profile->variable_count;
	size_t i;

	add_times(build);
	add_mappings(build, mappings);
	add_instructions(build);
	add_variables(build);
	for (i = 0; !build->failed && i < profile->cell_count; i++)
		add_sample(build, &profile->cells[i], i);
	build->message.n_location = locations;
	build->message.location =
		list_pointers(build, build->locations, locations, sizeof(*build->locations));
	build->message.n_sample = profile->cell_count;
	build->message.sample =
		list_pointers(build, build->samples, profile->cell_count, sizeof(*build->samples));
	build->message.function =
		list_pointers(build, build->functions, build->message.n_function, sizeof(*build->functions));
	add_strings(build);
}

int memphis_export_pprof(const struct memphis_export *export, const char *path, struct memphis_error *error)
{
	const struct memphis_profile *profile = export->profile;
	const size_t locations = profile->instruction_count + profile->variable_count,
		     cells = profile->cell_count;
	const size_t values = memphis_columns_count(MEMPHIS_IN_PPROF);
	struct build build = {
		.profile = profile,
		.rows = export->rows,
		.message = PPROF__PROFILE__INIT,
		.locations = calloc(locations + 1, sizeof(*build.locations)),
		.lines = calloc(profile->frame_count + profile->variable_count + 1, sizeof(*build.lines)),
		.samples = calloc(cells + 1, sizeof(*build.samples)),
		.labels = calloc(LABELS_MAX * cells + 1, sizeof(*build.labels)),
		.values = calloc(values * cells + 1, sizeof(*build.values)),
		.location_ids = calloc(count_locations(profile) + 1, sizeof(*build.location_ids)),
	};
	Pprof__Mapping *mappings = calloc(profile->object_count + 1, sizeof(*mappings));
	Pprof__ValueType *types = calloc(values, sizeof(*types));
	int rc;

	build.failed = !build.locations || !build.lines || !build.samples || !build.labels || !build.values ||
		       !build.location_ids || !mappings || !types;
	if (!build.failed) {
		intern_text(&build, "");
		add_types(&build, types);
		fill_message(&build, mappings);
	}
	rc = build.failed ? memphis_fail(error, -ENOMEM, "out of memory")
			  : write_compressed(&build.message, path, error);
	release_message(&build);
	free(mappings);
	free(types);
	return rc;
}
