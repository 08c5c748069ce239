// SPDX-License-Identifier: BSD-3-Clause
/*
 * Exports a profile as an SQLite database. It has one table for each kind of record, and views that join the
 * tables (see memphis-export(1)).
 */
#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <string.h>

#include <memphis/version.h>

#include "export/export.h"
#include "base/outfile.h"
#include "profile/reasons.h"
#include "view/columns.h"
#include "view/via.h"

struct database {
	sqlite3 *handle;
	sqlite3_stmt *statement;
	const struct memphis_profile *profile;
	const struct memphis_rows *rows;
	int rc; /* result code of SQLite; after an error, nothing more is done */
};

static int bind_real(struct database *db, int at, double real)
{
	return isfinite(real) ? sqlite3_bind_double(db->statement, at, real)
			      : sqlite3_bind_null(db->statement, at);
}

/* Binds the columns that belong to `place` to the parameters from number `at` on. */
static void bind_columns(struct database *db, int at, unsigned int place, const struct memphis_shown *row)
{
	const struct memphis_column *column = NULL;
	struct memphis_shown_value value;

	while (db->rc == SQLITE_OK && (column = memphis_column_next(column, place))) {
		value = column->get(row);
		if (!value.known)
			db->rc = sqlite3_bind_null(db->statement, at++);
		else if (column->kind == MEMPHIS_SHOWN_REAL)
			db->rc = bind_real(db, at++, value.real);
		else
			db->rc = sqlite3_bind_int64(db->statement, at++, (sqlite3_int64)value.number);
	}
}

/*
 * Inserts one row. `kinds` has one letter for each value:
 * - 'i': an integer (uint64_t)
 * - 'I': an integer; UINT64_MAX becomes NULL
 * - 't': a text, or NULL
 * - 'r': a real number; NaN and infinity become NULL
 * - 'c' (only as the last letter): the columns of a place (unsigned int) with the values of a row (struct
 *   memphis_shown)
 */
static void insert_row(struct database *db, const char *kinds, ...)
{
	va_list values;
	unsigned int place;
	uint64_t number;
	int at;

	va_start(values, kinds);
	for (at = 1; db->rc == SQLITE_OK && kinds[at - 1]; at++) {
		if (kinds[at - 1] == 't') {
			db->rc = sqlite3_bind_text(db->statement, at, va_arg(values, const char *), -1,
						   SQLITE_STATIC);
		} else if (kinds[at - 1] == 'r') {
			db->rc = bind_real(db, at, va_arg(values, double));
		} else if (kinds[at - 1] == 'c') {
			place = va_arg(values, unsigned int);
			bind_columns(db, at, place, va_arg(values, const struct memphis_shown *));
		} else {
			number = va_arg(values, uint64_t);
			db->rc = kinds[at - 1] == 'I' && number == UINT64_MAX
					 ? sqlite3_bind_null(db->statement, at)
					 : sqlite3_bind_int64(db->statement, at, (sqlite3_int64)number);
		}
	}
	va_end(values);
	if (db->rc == SQLITE_OK && sqlite3_step(db->statement) != SQLITE_DONE)
		db->rc = sqlite3_errcode(db->handle);
	if (db->rc == SQLITE_OK)
		db->rc = sqlite3_reset(db->statement);
}

static uint64_t node_or_null(uint16_t node)
{
	return node == MEMPHIS_NODE_UNKNOWN ? UINT64_MAX : node;
}

static uint64_t id_or_null(uint32_t number)
{
	return number == MEMPHIS_NONE ? UINT64_MAX : (uint64_t)number + 1;
}

static const char *string_text(const struct database *db, uint32_t string)
{
	return memphis_profile_text(db->profile, string);
}

static void put_meta(struct database *db)
{
	insert_row(db, "tt", "memphis_version", MEMPHIS_VERSION);
	insert_row(db, "tt", "schema_version", "1");
	insert_row(db, "tt", "select", db->profile->selection);
}

static void put_processes(struct database *db)
{
	const struct memphis_processes *processes = &db->profile->processes;
	const struct memphis_settings *settings;
	const struct memphis_process *process;
	char run[33];
	size_t i;

	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		settings = &process->settings;
		snprintf(run, sizeof(run), "%016llx%016llx", (unsigned long long)process->run[0],
			 (unsigned long long)process->run[1]);
		insert_row(db, "itiIttti", (uint64_t)i + 1, memphis_setting(settings, "host"),
			   (uint64_t)process->pid, memphis_setting_number(settings, "rank", UINT64_MAX), run,
			   process->path, memphis_setting(settings, "command"), (uint64_t)process->closed);
	}
}

static void put_settings(struct database *db)
{
	const struct memphis_processes *processes = &db->profile->processes;
	const char *key, *value;
	size_t i;

	for (i = 0; i < processes->count; i++) {
		key = NULL;
		while (memphis_settings_next(&processes->list[i].settings, &key, &value))
			insert_row(db, "itt", (uint64_t)i + 1, key, value);
	}
}

static void put_threads(struct database *db)
{
	const struct memphis_processes *processes = &db->profile->processes;
	const struct memphis_thread *thread;
	uint64_t id = 0;
	size_t i, j;

	for (i = 0; i < processes->count; i++)
		for (j = 0; j < processes->list[i].thread_count; j++) {
			thread = &processes->list[i].threads[j];
			insert_row(db, "iiittiiiiii", ++id, (uint64_t)i + 1, (uint64_t)thread->tid,
				   memphis_setting(&thread->metadata, "name"), thread->path,
				   (uint64_t)thread->accounting.interrupts, (uint64_t)thread->accounting.kept,
				   (uint64_t)thread->accounting.lost, (uint64_t)thread->accounting.throttled,
				   thread->read, thread->selected);
		}
}

static void put_nodes(struct database *db)
{
	const struct memphis_processes *processes = &db->profile->processes;
	const struct memphis_node *node;
	size_t i, j;

	for (i = 0; i < processes->count; i++)
		for (j = 0; j < processes->list[i].node_count; j++) {
			node = &processes->list[i].nodes[j];
			insert_row(db, "iiitt", (uint64_t)i + 1, (uint64_t)node->node, node->memory_bytes,
				   node->cpus, node->distances);
		}
}

static void put_objects(struct database *db)
{
	const struct memphis_object *object;
	size_t i;

	for (i = 0; i < db->profile->object_count; i++) {
		object = &db->profile->objects[i];
		insert_row(db, "ittttt", (uint64_t)i + 1, string_text(db, object->path),
			   string_text(db, object->build_id), string_text(db, object->found),
			   string_text(db, object->debug_path), memphis_binary_state_name(object->state));
	}
}

static void put_variables(struct database *db)
{
	const struct memphis_variable *variable;
	size_t i;

	for (i = 0; i < db->profile->variable_count; i++) {
		variable = &db->profile->variables[i];
		insert_row(db, "itttttttttt", (uint64_t)i + 1, string_text(db, variable->segment),
			   string_text(db, variable->name), string_text(db, variable->qualified),
			   string_text(db, variable->site), string_text(db, variable->how),
			   string_text(db, variable->why_not), memphis_shown_name(db->profile, (uint32_t)i),
			   string_text(db, variable->object), string_text(db, variable->declared),
			   string_text(db, variable->unit));
	}
}

static void put_instructions(struct database *db)
{
	const struct memphis_instruction *instruction;
	uint32_t i;

	for (i = 0; i < db->profile->instruction_count; i++) {
		instruction = &db->profile->instructions[i];
		insert_row(db, "iIiIttt", (uint64_t)i + 1, id_or_null(instruction->object), instruction->pc,
			   id_or_null(instruction->chain), memphis_via(db->profile, i),
			   string_text(db, instruction->type), string_text(db, instruction->member));
	}
}

static void put_chains(struct database *db)
{
	size_t i;

	for (i = 0; i < db->profile->chain_count; i++)
		insert_row(db, "it", (uint64_t)i + 1,
			   db->profile->chains[i].reason
				   ? memphis_no_callers_texts[db->profile->chains[i].reason].name
				   : NULL);
}

/* Inserts the calls of a chain, the innermost first. Calls that were inlined are inserted as rows of their own. */
static void put_chain(struct database *db, uint64_t id, const struct memphis_chain *chain)
{
	const struct memphis_profile *profile = db->profile;
	const struct memphis_profile_frame *frame, *shown;
	const struct memphis_instruction *call;
	uint32_t row, i, j;
	uint64_t depth = 0;

	for (i = 0; i < chain->call_count; i++) {
		row = profile->calls[chain->call + i];
		call = &profile->instructions[row];
		shown = i == chain->program ? memphis_program_frame(profile, row) : NULL;
		for (j = 0; j < call->frame_count; j++) {
			frame = &profile->frames[call->frame + j];
			insert_row(db, "iiittIii", id, depth++, (uint64_t)row + 1,
				   string_text(db, frame->function), string_text(db, frame->path),
				   frame->line ? (uint64_t)frame->line : UINT64_MAX,
				   (uint64_t)(j + 1 < call->frame_count), (uint64_t)(frame == shown));
		}
	}
}

static void put_callers(struct database *db)
{
	size_t i;

	for (i = 0; i < db->profile->chain_count; i++)
		put_chain(db, (uint64_t)i + 1, &db->profile->chains[i]);
}

static void put_frames(struct database *db)
{
	const struct memphis_profile_frame *frame, *program;
	const struct memphis_instruction *instruction;
	size_t i, j;

	for (i = 0; i < db->profile->instruction_count; i++) {
		instruction = &db->profile->instructions[i];
		program = memphis_own_frame(db->profile, (uint32_t)i);
		for (j = 0; j < instruction->frame_count; j++) {
			frame = &db->profile->frames[instruction->frame + j];
			insert_row(db, "iittIi", (uint64_t)i + 1, (uint64_t)j,
				   string_text(db, frame->function), string_text(db, frame->path),
				   frame->line ? (uint64_t)frame->line : UINT64_MAX,
				   (uint64_t)(frame == program));
		}
	}
}

static void put_regions(struct database *db)
{
	const struct memphis_profile_region *region;
	size_t i;

	for (i = 0; i < db->profile->region_count; i++) {
		region = &db->profile->regions[i];
		insert_row(db, "itIi", (uint64_t)i + 1,
			   region->name                  ? string_text(db, region->name)
			   : i == MEMPHIS_REGION_OUTSIDE ? "(outside any caliper)"
							 : "(unknown region)",
			   region->depth ? (uint64_t)region->parent + 1 : UINT64_MAX, region->written);
	}
}

static void put_cells(struct database *db)
{
	const struct memphis_profile *profile = db->profile;
	const struct memphis_cell *cell;
	struct memphis_sum sum;
	struct memphis_shown shown = {.rows = db->rows, .sum = &sum};
	size_t i;

	for (i = 0; i < profile->cell_count; i++) {
		cell = &profile->cells[i];
		sum = memphis_sum_of(&db->rows->waiting, cell);
		shown.estimated =
			memphis_how_of(string_text(db, profile->variables[cell->key.variable].how)) ==
			MEMPHIS_HOW_ESTIMATED;
		insert_row(db, "iiIIIItitc", (uint64_t)cell->key.variable + 1,
			   (uint64_t)cell->key.instruction + 1,
			   profile->by_region ? (uint64_t)cell->key.region + 1 : UINT64_MAX,
			   profile->by_thread ? (uint64_t)cell->key.thread + 1 : UINT64_MAX,
			   node_or_null(cell->key.access.node), node_or_null(cell->key.access.home),
			   memphis_source_name(cell->key.access.source), (uint64_t)cell->key.access.flags,
			   memphis_unattributed_texts[cell->key.reason].name, MEMPHIS_IN_SQL, &shown);
	}
}

static void put_totals(struct database *db)
{
	const struct memphis_total *total;
	struct memphis_sum sum = {.lines = 0};
	const struct memphis_shown shown = {.rows = db->rows, .sum = &sum};
	size_t i;

	for (i = 0; i < db->profile->totals.count; i++) {
		total = &db->profile->totals.list[i];
		if (!memphis_selection_takes(db->rows->view->selection, &total->access))
			continue;
		sum.measure = total->measure;
		insert_row(db, "iIItic",
			   (uint64_t)memphis_profile_thread(db->profile, total->process) + total->thread + 1,
			   node_or_null(total->access.node), node_or_null(total->access.home),
			   memphis_source_name(total->access.source), (uint64_t)total->access.flags,
			   MEMPHIS_IN_TOTALS, &shown);
	}
}

static void put_ticks(struct database *db)
{
	const struct memphis_timeline *timeline;
	const struct memphis_series *series;
	size_t i, j, tick;

	for (i = 0; i < db->profile->processes.count; i++) {
		timeline = &db->profile->timelines[i];
		for (j = 0; j < timeline->count; j++) {
			series = &timeline->list[j];
			for (tick = 0; tick < MEMPHIS_TICKS; tick++)
				if (series->ticks[tick])
					insert_row(db, "iIIiii", (uint64_t)i + 1, node_or_null(series->node),
						   node_or_null(series->home),
						   (uint64_t)tick * timeline->width_ns, timeline->width_ns,
						   series->ticks[tick]);
		}
	}
}

static void put_metric(struct database *db, size_t process, const struct memphis_counter_metric *metric)
{
	const struct memphis_process *of = &db->profile->processes.list[process];
	const bool gauge = metric->kind == MEMPHIS_COUNTER_GAUGE;
	const struct memphis_counters_cell *cell;
	const struct memphis_region *region;
	size_t i;

	for (i = 0; i < metric->cell_count; i++) {
		cell = &metric->cells[i];
		region = memphis_process_region(of, cell->region);
		insert_row(db, "itttttIttirrrrr", (uint64_t)process + 1, metric->source, metric->name,
			   metric->unit, memphis_counters_kinds[metric->kind],
			   metric->host ? "host" : "process", node_or_null(metric->node),
			   region         ? "caliper"
			   : cell->region ? "unknown"
					  : "outside",
			   region ? region->name : NULL, cell->covered_ns, gauge ? NAN : cell->sum,
			   gauge ? NAN : cell->shared, gauge ? cell->sum / (double)cell->covered_ns : NAN,
			   cell->low, cell->high);
	}
}

static void put_counters(struct database *db)
{
	const struct memphis_counters *counters;
	size_t i, j;

	for (i = 0; i < db->profile->processes.count; i++) {
		counters = db->profile->processes.list[i].counters;
		for (j = 0; counters && j < counters->metric_count; j++)
			put_metric(db, i, &counters->metrics[j]);
	}
}

static void put_metric_ticks(struct database *db, size_t process, const struct memphis_counter_metric *metric)
{
	const uint64_t width_ns = db->profile->processes.list[process].counters->width_ns;
	const bool gauge = metric->kind == MEMPHIS_COUNTER_GAUGE;
	const struct memphis_counters_bin *bin;
	size_t tick;

	for (tick = 0; metric->bins && tick < MEMPHIS_TICKS; tick++) {
		bin = &metric->bins[tick];
		if (bin->covered_ns || bin->sum != 0)
			insert_row(db, "ittIiiirr", (uint64_t)process + 1, metric->source, metric->name,
				   node_or_null(metric->node), (uint64_t)tick * width_ns, width_ns,
				   bin->covered_ns, gauge ? NAN : bin->sum,
				   gauge ? bin->sum / (double)bin->covered_ns : NAN);
	}
}

static void put_counters_ticks(struct database *db)
{
	const struct memphis_counters *counters;
	size_t i, j;

	for (i = 0; i < db->profile->processes.count; i++) {
		counters = db->profile->processes.list[i].counters;
		for (j = 0; counters && j < counters->metric_count; j++)
			put_metric_ticks(db, i, &counters->metrics[j]);
	}
}

/*
 * Ids are row numbers, which count from 1. Unknown values are NULL. Addresses are 64-bit integers. SQLite
 * displays those in the upper half of the address space as negative numbers.
 */
/* clang-format off */
static const struct {
	const char *name, *columns;
	void (*put)(struct database *db);
	unsigned int place; /* enum memphis_column_place whose columns follow `columns`; 0: none */
	const char *options;
} tables[] = {
	{"meta", "key TEXT PRIMARY KEY, value TEXT", .put = put_meta},
	{"processes", "id INTEGER PRIMARY KEY, host TEXT, pid INTEGER, rank INTEGER, run TEXT, path TEXT, command TEXT, closed INTEGER", .put = put_processes},
	{"settings", "process_id INTEGER REFERENCES processes, key TEXT, value TEXT", .put = put_settings},
	{"threads", "id INTEGER PRIMARY KEY, process_id INTEGER REFERENCES processes, tid INTEGER, name TEXT, path TEXT, "
		"interrupts INTEGER, kept INTEGER, lost INTEGER, throttled INTEGER, written INTEGER, selected INTEGER", .put = put_threads},
	{"nodes", "process_id INTEGER REFERENCES processes, node INTEGER, memory_bytes INTEGER, cpus TEXT, distances TEXT", .put = put_nodes},
	{"objects", "id INTEGER PRIMARY KEY, path TEXT, build_id TEXT, found TEXT, debug TEXT, state TEXT", .put = put_objects},
	{"variables", "id INTEGER PRIMARY KEY, segment TEXT, name TEXT, holder TEXT, site TEXT, how TEXT, why_not TEXT, "
		"shown TEXT, object TEXT, declared TEXT, unit TEXT", .put = put_variables},
	{"chains", "id INTEGER PRIMARY KEY, reason TEXT", .put = put_chains},
	{"instructions", "id INTEGER PRIMARY KEY, object_id INTEGER REFERENCES objects, pc INTEGER, chain_id INTEGER REFERENCES chains, "
		"via TEXT, type TEXT, member TEXT", .put = put_instructions},
	{"callers", "chain_id INTEGER REFERENCES chains, depth INTEGER, call_id INTEGER REFERENCES instructions, function TEXT, path TEXT, "
		"line INTEGER, inlined INTEGER, program INTEGER, PRIMARY KEY (chain_id, depth)", put_callers, .options = " WITHOUT ROWID"},
	{"frames", "instruction_id INTEGER REFERENCES instructions, level INTEGER, function TEXT, path TEXT, line INTEGER, program INTEGER, "
		"PRIMARY KEY (instruction_id, level)", put_frames, .options = " WITHOUT ROWID"},
	{"regions", "id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER REFERENCES regions, written INTEGER", .put = put_regions},
	{"cells", "variable_id INTEGER REFERENCES variables, instruction_id INTEGER REFERENCES instructions, "
		"region_id INTEGER REFERENCES regions, thread_id INTEGER REFERENCES threads, node INTEGER, home INTEGER, source TEXT, "
		"flags INTEGER, reason TEXT", put_cells, .place = MEMPHIS_IN_SQL},
	{"totals", "thread_id INTEGER REFERENCES threads, node INTEGER, home INTEGER, source TEXT, flags INTEGER", put_totals, .place = MEMPHIS_IN_TOTALS},
	{"ticks", "process_id INTEGER REFERENCES processes, node INTEGER, home INTEGER, start_ns INTEGER, width_ns INTEGER, count INTEGER", .put = put_ticks},
	{"counters", "process_id INTEGER REFERENCES processes, source TEXT, name TEXT, unit TEXT, kind TEXT, scope TEXT, node INTEGER, place TEXT, "
		"region TEXT, covered_ns INTEGER, total REAL, shared REAL, mean REAL, low REAL, high REAL", .put = put_counters},
	{"counters_ticks", "process_id INTEGER REFERENCES processes, source TEXT, name TEXT, node INTEGER, start_ns INTEGER, width_ns INTEGER, "
		"covered_ns INTEGER, total REAL, mean REAL", .put = put_counters_ticks},
};
/* clang-format on */

/* Appends all columns of the place. The callback `put` formats each of them, with a comma before it. */
static void list_columns(struct memphis_text *text, unsigned int place,
			 void (*put)(struct memphis_text *text, const struct memphis_column *column))
{
	const struct memphis_column *column = NULL;

	while ((column = memphis_column_next(column, place)))
		put(text, column);
}

static void put_definition(struct memphis_text *text, const struct memphis_column *column)
{
	memphis_text_print(text, ", %s %s", column->key,
			   column->kind == MEMPHIS_SHOWN_REAL ? "REAL" : "INTEGER");
}

static void put_name(struct memphis_text *text, const struct memphis_column *column)
{
	memphis_text_print(text, ", %s", column->key);
}

static void put_combined(struct memphis_text *text, const struct memphis_column *column)
{
	memphis_text_print(text, ", %s(%s) AS %s", column->combined, column->key, column->key);
}

static void put_sum(struct memphis_text *text, const struct memphis_column *column)
{
	if (!strcmp(column->combined, "sum"))
		put_combined(text, column);
}

/* The definition of a view consists of `before`, the columns of `place` as formatted by `put`, and `after`. */
/* clang-format off */
static const struct {
	const char *before, *after;
	unsigned int place;
	void (*put)(struct memphis_text *text, const struct memphis_column *column);
} views[] = {
	{"samples AS SELECT c.node, c.home, c.source, c.flags & 1 AS load, (c.flags >> 1) & 1 AS store, (c.flags >> 3) & 1 AS hitm, v.segment, "
		"v.name AS variable, v.site, f.function, f.path, f.line, o.path AS object, i.pc, r.name AS region, c.thread_id, c.reason",
	 ", i.type, i.member, v.shown FROM cells c JOIN variables v ON v.id = c.variable_id JOIN instructions i ON i.id = c.instruction_id "
		"JOIN frames f ON f.instruction_id = i.id AND f.program LEFT JOIN objects o ON o.id = i.object_id "
		"LEFT JOIN regions r ON r.id = c.region_id", MEMPHIS_IN_SQL, put_name},
	/*
	 * The line is the same as in the report. For a sample in a library whose callers are known, it is the
	 * line of the program that led there.
	 */
	{"by_caller AS SELECT c.node, CASE WHEN k.chain_id IS NULL THEN f.path ELSE k.path END AS path, "
		"CASE WHEN k.chain_id IS NULL THEN f.line ELSE k.line END AS line, "
		"CASE WHEN k.chain_id IS NULL THEN f.function ELSE k.function END AS function, i.via",
	 " FROM cells c JOIN instructions i ON i.id = c.instruction_id JOIN frames f ON f.instruction_id = i.id AND f.program "
		"LEFT JOIN callers k ON k.chain_id = i.chain_id AND k.program GROUP BY 1, 2, 3, 4, 5", MEMPHIS_IN_VIEWS, put_sum},
	{"by_variable AS SELECT node, segment, shown AS variable, site", " FROM samples GROUP BY node, segment, shown, site", MEMPHIS_IN_VIEWS, put_combined},
	{"by_line AS SELECT node, path, line, function", " FROM samples GROUP BY node, path, line, function", MEMPHIS_IN_VIEWS, put_sum},
	/* Processes without samples are included, because idle ranks are of interest. */
	{"by_process AS SELECT p.id AS process_id, p.host, p.pid, p.rank, coalesce(sum(t.count), 0) AS count, "
		"coalesce(sum(CASE WHEN t.home <> t.node THEN t.count ELSE 0 END), 0) AS away, "
		"coalesce(sum(t.accesses), 0) AS accesses, coalesce(sum(t.latency_cycles), 0) AS latency_cycles",
	 .after = " FROM processes p LEFT JOIN threads h ON h.process_id = p.id LEFT JOIN totals t ON t.thread_id = h.id GROUP BY p.id"},
};
/* clang-format on */

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static void create_tables(struct database *db)
{
	struct memphis_text schema = {0};
	size_t i;

	memphis_text_put(&schema, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;");
	for (i = 0; i < COUNT(tables); i++) {
		memphis_text_print(&schema, "CREATE TABLE %s (%s", tables[i].name, tables[i].columns);
		list_columns(&schema, tables[i].place, put_definition);
		memphis_text_print(&schema, ")%s;", tables[i].options ? tables[i].options : "");
	}
	for (i = 0; i < COUNT(views); i++) {
		memphis_text_print(&schema, "CREATE VIEW %s", views[i].before);
		list_columns(&schema, views[i].place, views[i].put);
		memphis_text_print(&schema, "%s;", views[i].after);
	}
	db->rc = schema.failed ? SQLITE_NOMEM : sqlite3_exec(db->handle, schema.text, NULL, NULL, NULL);
	memphis_text_close(&schema);
}

/* Prepares the INSERT statement of insert_row() for a table. */
static void prepare_insert(struct database *db, const char *table)
{
	char sql[256];
	int columns, bytes;

	sqlite3_finalize(db->statement);
	snprintf(sql, sizeof(sql), "SELECT * FROM %s", table);
	db->rc = sqlite3_prepare_v2(db->handle, sql, -1, &db->statement, NULL);
	if (db->rc != SQLITE_OK)
		return;
	columns = sqlite3_column_count(db->statement);
	sqlite3_finalize(db->statement);
	bytes = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES (?", table);
	while (--columns)
		bytes += snprintf(sql + bytes, sizeof(sql) - (size_t)bytes, ", ?");
	snprintf(sql + bytes, sizeof(sql) - (size_t)bytes, ")");
	db->rc = sqlite3_prepare_v2(db->handle, sql, -1, &db->statement, NULL);
}

static void fill_database(struct database *db, const char *file)
{
	size_t i;

	db->rc = sqlite3_open(file, &db->handle);
	if (db->rc == SQLITE_OK)
		create_tables(db);
	for (i = 0; db->rc == SQLITE_OK && i < COUNT(tables); i++) {
		prepare_insert(db, tables[i].name);
		tables[i].put(db);
	}
	if (db->rc == SQLITE_OK)
		db->rc = sqlite3_exec(db->handle, "COMMIT", NULL, NULL, NULL);
}

int memphis_export_sqlite(const struct memphis_export *export, const char *path, struct memphis_error *error)
{
	struct database db = {.profile = export->profile, .rows = export->rows};
	struct memphis_outfile file;
	int rc = memphis_outfile_open(&file, path, error);

	if (rc)
		return rc;
	if (!file.temporary)
		rc = memphis_fail(error, -EINVAL, "%s: a database has to be a file", path);
	else
		fill_database(&db, file.temporary);
	if (db.rc != SQLITE_OK)
		rc = memphis_fail(error, -EIO, "%s: cannot write: %s", path, sqlite3_errmsg(db.handle));
	sqlite3_finalize(db.statement);
	if (sqlite3_close(db.handle) != SQLITE_OK && !rc)
		rc = memphis_fail(error, -EIO, "%s: cannot write: %s", path, sqlite3_errmsg(db.handle));
	return memphis_outfile_close(&file, rc, error);
}
