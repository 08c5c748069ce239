// SPDX-License-Identifier: BSD-3-Clause
#include "view/columns.h"

#include "base/statistics.h"
#include "read/access.h"

#define COUNT(name, value)                                                               \
	static struct memphis_shown_value name(const struct memphis_shown *row)          \
	{                                                                                \
		const uint64_t number = value;                                           \
                                                                                         \
		return (struct memphis_shown_value){true, number, (double)number, NULL}; \
	}

COUNT(low, row->sum->measure.low)
COUNT(high, row->sum->measure.high)
COUNT(samples, row->sum->measure.count)
COUNT(accesses, row->sum->measure.accesses)
COUNT(bytes, row->sum->lines *MEMPHIS_LINE_BYTES)
COUNT(stores, row->sum->stores)
COUNT(hitm, row->sum->hitm)
COUNT(latency, row->sum->measure.latency_cycles)
COUNT(latency_max, row->sum->measure.latency_max_cycles)

static struct memphis_shown_value make_real(bool known, double value)
{
	return (struct memphis_shown_value){known, 0, value, NULL};
}

static struct memphis_shown_value mean_latency(const struct memphis_shown *row)
{
	const struct memphis_measure *measure = &row->sum->measure;

	return make_real(measure->latency_cycles, (double)measure->latency_cycles / (double)measure->count);
}

static struct memphis_share sample_share(const struct memphis_shown *row)
{
	return memphis_share_of(row->sum->measure.count, row->rows->selected);
}

static struct memphis_shown_value share(const struct memphis_shown *row)
{
	return make_real(true, sample_share(row).share);
}

static struct memphis_shown_value share_low(const struct memphis_shown *row)
{
	return make_real(true, sample_share(row).low);
}

static struct memphis_shown_value share_high(const struct memphis_shown *row)
{
	return make_real(true, sample_share(row).high);
}

#define ESTIMATE(name, known, function, end)                                           \
	static struct memphis_shown_value name(const struct memphis_shown *row)        \
	{                                                                              \
		return make_real(known(&row->sum->waits),                              \
				 function(&row->rows->waiting, &row->sum->waits).end); \
	}

ESTIMATE(waited, memphis_waits_count, memphis_waited, value)
ESTIMATE(waited_low, memphis_waits_count, memphis_waited, low)
ESTIMATE(waited_high, memphis_waits_count, memphis_waited, high)
ESTIMATE(gain, memphis_gain_is_known, memphis_gain, value)
ESTIMATE(gain_low, memphis_gain_is_known, memphis_gain, low)
ESTIMATE(gain_high, memphis_gain_is_known, memphis_gain, high)

/* Returns the row's share of the waiting of all loads. The selected kind of samples does not change the total. */
static struct memphis_shown_value waited_share(const struct memphis_shown *row)
{
	const struct memphis_waiting *waiting = &row->rows->waiting;
	const double all = memphis_waited(waiting, &waiting->all).value;

	return make_real(all > 0 && memphis_waits_count(&row->sum->waits), waited(row).real / all);
}

static struct memphis_shown_value certainty(const struct memphis_shown *row)
{
	return make_real(row->estimated, memphis_certainty(row->sum));
}

#define NAME(name)                                                                 \
	static struct memphis_shown_value name(const struct memphis_shown *row)    \
	{                                                                          \
		const char *text = row->leaf ? row->leaf->instruction.name : NULL; \
                                                                                   \
		return (struct memphis_shown_value){text, 0, 0, text};             \
	}

NAME(via)
NAME(type)
NAME(member)

#define CSV       MEMPHIS_IN_CSV
#define JSON      (MEMPHIS_IN_JSON | MEMPHIS_IN_PAGE)
#define SQL       MEMPHIS_IN_SQL
#define SQL_VIEWS (MEMPHIS_IN_SQL | MEMPHIS_IN_VIEWS)
#define MEMBERS   MEMPHIS_IN_MEMBERS
#define TOTALS    MEMPHIS_IN_TOTALS
#define PPROF     MEMPHIS_IN_PPROF
#define TEXT      MEMPHIS_IN_TEXT
#define LATENCIES MEMPHIS_IN_LATENCIES
#define PAGE      MEMPHIS_IN_PAGE

#define NUMBER  MEMPHIS_SHOWN_NUMBER
#define ADDRESS MEMPHIS_SHOWN_ADDRESS
#define REAL    MEMPHIS_SHOWN_REAL
#define STRING  MEMPHIS_SHOWN_TEXT
#define WAITING MEMPHIS_NEEDS_WAITING

/* clang-format off */
static const struct memphis_column columns[] = {
	/*
	 * Columns: key, title and width, kind and decimals, unit, combined, needs, places, getter; heading, help,
	 * order and path.
	 */
	{"low", NULL, 0, ADDRESS, 0, NULL, "min", 0, CSV | JSON, .get = low},
	{"high", NULL, 0, ADDRESS, 0, NULL, "max", 0, CSV | JSON, .get = high},
	{"count", "samples", 0, NUMBER, 0, "count", "sum", 0, CSV | JSON | SQL_VIEWS | MEMBERS | TOTALS | PPROF, samples, "Samples", .order = 1},
	{"share", NULL, 0, REAL, 0, "share", NULL, 0, JSON, share, "Share", "of all selected samples, with its 95 % interval", .order = 2},
	{"share_low", NULL, 0, REAL, 0, "share", NULL, 0, JSON, .get = share_low},
	{"share_high", NULL, 0, REAL, 0, "share", NULL, 0, JSON, .get = share_high},
	{"accesses", "accesses", 0, NUMBER, 0, "count", "sum", 0, CSV | JSON | SQL_VIEWS | TOTALS | PPROF, .get = accesses},
	{"bytes", NULL, 0, NUMBER, 0, "bytes", "sum", 0, CSV | JSON, bytes, "Est. data", .order = 7},
	{"stores", NULL, 0, NUMBER, 0, "count", "sum", 0, CSV | JSON | MEMBERS, stores, .heading = "Stores"},
	{"hitm", NULL, 0, NUMBER, 0, "count", "sum", 0, CSV | JSON | MEMBERS, hitm, "Hitm", .help = "lines that another cache held modified"},
	{"waited_cycles", "waited", 8, REAL, 0, "cycles", "sum", WAITING, TEXT | PAGE, waited, "Est. waiting", .order = 3, .path = "waiting.waited.cycles"},
	{"gain_cycles", "gain", 8, REAL, 0, "cycles", "sum", WAITING, LATENCIES | PAGE, gain, "Could gain", .order = 4, .path = "waiting.gain.cycles"},
	{"latency_cycles", "latency", 12, NUMBER, 0, "cycles", "sum", 0, CSV | JSON | SQL_VIEWS | TOTALS | PPROF | LATENCIES, .get = latency},
	{"latency_mean_cycles", "mean", 8, REAL, 0, "cycles", NULL, 0, LATENCIES | PAGE, mean_latency, "Mean latency", .order = 5},
	{"away_share", NULL, 0, REAL, 0, "share", NULL, 0, PAGE, NULL, "Away", "pages that another node owns", .order = 6},
	{"latency_max_cycles", "most", 8, NUMBER, 0, "cycles", "max", 0, CSV | JSON | SQL | LATENCIES, .get = latency_max},
	{"low", NULL, 0, ADDRESS, 0, NULL, "min", 0, SQL_VIEWS, .get = low},
	{"high", NULL, 0, ADDRESS, 0, NULL, "max", 0, SQL_VIEWS, .get = high},
	{"bytes", NULL, 0, NUMBER, 0, "bytes", "sum", 0, SQL_VIEWS, .get = bytes},
	{"waited_cycles", NULL, 0, REAL, 0, "cycles", "sum", WAITING, CSV | SQL_VIEWS, .get = waited},
	{"waited_low", NULL, 0, REAL, 0, "cycles", NULL, WAITING, CSV, .get = waited_low},
	{"waited_high", NULL, 0, REAL, 0, "cycles", NULL, WAITING, CSV, .get = waited_high},
	{"gain_cycles", NULL, 0, REAL, 0, "cycles", "sum", WAITING, CSV | SQL_VIEWS, .get = gain},
	{"gain_low", NULL, 0, REAL, 0, "cycles", NULL, WAITING, CSV, .get = gain_low},
	{"gain_high", NULL, 0, REAL, 0, "cycles", NULL, WAITING, CSV, .get = gain_high},
	{"via", NULL, 0, STRING, 0, NULL, NULL, MEMPHIS_NEEDS_CALLERS, CSV, .get = via},
	{"certainty", NULL, 0, REAL, 4, "share", NULL, MEMPHIS_NEEDS_ESTIMATES, CSV | SQL, .get = certainty},
	{"type", NULL, 0, STRING, 0, NULL, NULL, 0, CSV, .get = type},
	{"member", NULL, 0, STRING, 0, NULL, NULL, 0, CSV, .get = member},
	{"waited_share", NULL, 0, REAL, 4, "share", "sum", WAITING, CSV | SQL_VIEWS, .get = waited_share},
};
/* clang-format on */

const struct memphis_column *memphis_column_next(const struct memphis_column *column, unsigned int place)
{
	const struct memphis_column *end = columns + sizeof(columns) / sizeof(*columns);

	for (column = column ? column + 1 : columns; column < end; column++)
		if (column->places & place)
			return column;
	return NULL;
}

size_t memphis_columns_count(unsigned int place)
{
	const struct memphis_column *column = NULL;
	size_t count = 0;

	while ((column = memphis_column_next(column, place)))
		count++;
	return count;
}

bool memphis_column_has(const struct memphis_column *column, const struct memphis_rows *rows)
{
	switch (column->needs) {
	case MEMPHIS_NEEDS_WAITING:
		return !rows->waiting.why_not;
	case MEMPHIS_NEEDS_CALLERS:
		return rows->profile->chain_count;
	case MEMPHIS_NEEDS_ESTIMATES:
		return rows->estimated.measure.count;
	case MEMPHIS_NEEDS_NOTHING:
		break;
	}
	return true;
}
