// SPDX-License-Identifier: BSD-3-Clause
#include "view/columns.h"

#include "base/statistics.h"
#include "read/access.h"

#define NUMBER(name, value)                                                              \
	static struct memphis_shown_value name(const struct memphis_shown *row)          \
	{                                                                                \
		const uint64_t number = value;                                           \
                                                                                         \
		return (struct memphis_shown_value){true, number, (double)number, NULL}; \
	}

NUMBER(low, row->sum->measure.low)
NUMBER(high, row->sum->measure.high)
NUMBER(samples, row->sum->measure.count)
NUMBER(accesses, row->sum->measure.accesses)
NUMBER(bytes, (row->sum->lines) * MEMPHIS_LINE_BYTES)
NUMBER(stores, row->sum->stores)
NUMBER(hitm, row->sum->hitm)
NUMBER(latency, row->sum->measure.latency_cycles)
NUMBER(latency_max, row->sum->measure.latency_max_cycles)

static struct memphis_shown_value real(bool known, double value)
{
	return (struct memphis_shown_value){known, 0, value, NULL};
}

static struct memphis_shown_value mean_latency(const struct memphis_shown *row)
{
	const struct memphis_measure *measure = &row->sum->measure;

	return real(measure->latency_cycles, (double)measure->latency_cycles / (double)measure->count);
}

static struct memphis_share share_of(const struct memphis_shown *row)
{
	return memphis_share_of(row->sum->measure.count, row->rows->selected);
}

static struct memphis_shown_value share(const struct memphis_shown *row)
{
	return real(true, share_of(row).share);
}

static struct memphis_shown_value share_low(const struct memphis_shown *row)
{
	return real(true, share_of(row).low);
}

static struct memphis_shown_value share_high(const struct memphis_shown *row)
{
	return real(true, share_of(row).high);
}

#define ESTIMATE(name, known, function, end)                                                               \
	static struct memphis_shown_value name(const struct memphis_shown *row)                            \
	{                                                                                                  \
		return real(known(&row->sum->waits), function(&row->rows->waiting, &row->sum->waits).end); \
	}

ESTIMATE(waited, memphis_waits_count, memphis_waited, value)
ESTIMATE(waited_low, memphis_waits_count, memphis_waited, low)
ESTIMATE(waited_high, memphis_waits_count, memphis_waited, high)
ESTIMATE(gain, memphis_gain_is_known, memphis_gain, value)
ESTIMATE(gain_low, memphis_gain_is_known, memphis_gain, low)
ESTIMATE(gain_high, memphis_gain_is_known, memphis_gain, high)

/* Returns the share of the waiting in that of all loads, of whatever kind is selected. */
static struct memphis_shown_value waited_share(const struct memphis_shown *row)
{
	const struct memphis_waiting *waiting = &row->rows->waiting;
	const double all = memphis_waited(waiting, &waiting->all).value;

	return real(all > 0 && memphis_waits_count(&row->sum->waits), waited(row).real / all);
}

static struct memphis_shown_value certainty(const struct memphis_shown *row)
{
	return real(row->estimated, memphis_certainty(row->sum));
}

#define TEXT(name)                                                                 \
	static struct memphis_shown_value name(const struct memphis_shown *row)    \
	{                                                                          \
		const char *text = row->leaf ? row->leaf->instruction.name : NULL; \
                                                                                   \
		return (struct memphis_shown_value){text, 0, 0, text};             \
	}

TEXT(via)
TEXT(type)
TEXT(member)

#define CSV       MEMPHIS_IN_CSV
#define JSON      MEMPHIS_IN_JSON
#define SQL       MEMPHIS_IN_SQL
#define MEMBERS   MEMPHIS_IN_MEMBERS
#define TOTALS    MEMPHIS_IN_TOTALS
#define LATENCIES MEMPHIS_IN_LATENCIES

/* clang-format off */
static const struct memphis_column columns[] = {
	/* Columns: key, title and width, kind and decimals, combined, needs, places, getter. */
	{"low", NULL, 0, MEMPHIS_SHOWN_ADDRESS, 0, "min", 0, CSV | JSON, low},
	{"high", NULL, 0, MEMPHIS_SHOWN_ADDRESS, 0, "max", 0, CSV | JSON, high},
	{"count", NULL, 0, MEMPHIS_SHOWN_NUMBER, 0, "sum", 0, CSV | JSON | SQL | MEMBERS | TOTALS, samples},
	{"share", NULL, 0, MEMPHIS_SHOWN_REAL, 0, NULL, 0, JSON, share},
	{"share_low", NULL, 0, MEMPHIS_SHOWN_REAL, 0, NULL, 0, JSON, share_low},
	{"share_high", NULL, 0, MEMPHIS_SHOWN_REAL, 0, NULL, 0, JSON, share_high},
	{"accesses", NULL, 0, MEMPHIS_SHOWN_NUMBER, 0, "sum", 0, CSV | JSON | SQL | TOTALS, accesses},
	{"bytes", NULL, 0, MEMPHIS_SHOWN_NUMBER, 0, "sum", 0, CSV | JSON, bytes},
	{"stores", NULL, 0, MEMPHIS_SHOWN_NUMBER, 0, "sum", 0, CSV | JSON | MEMBERS, stores},
	{"hitm", NULL, 0, MEMPHIS_SHOWN_NUMBER, 0, "sum", 0, CSV | JSON | MEMBERS, hitm},
	{"waited_cycles", "waited", 8, MEMPHIS_SHOWN_REAL, 0, NULL, MEMPHIS_NEEDS_WAITING, MEMPHIS_IN_TEXT, waited},
	{"gain_cycles", "gain", 8, MEMPHIS_SHOWN_REAL, 0, NULL, MEMPHIS_NEEDS_WAITING, LATENCIES, gain},
	{"latency_cycles", "latency", 12, MEMPHIS_SHOWN_NUMBER, 0, "sum", 0, CSV | JSON | SQL | TOTALS | LATENCIES, latency},
	{"latency_mean_cycles", "mean", 8, MEMPHIS_SHOWN_REAL, 0, NULL, 0, LATENCIES, mean_latency},
	{"latency_max_cycles", "most", 8, MEMPHIS_SHOWN_NUMBER, 0, NULL, 0, CSV | JSON | SQL | LATENCIES, latency_max},
	{"low", NULL, 0, MEMPHIS_SHOWN_ADDRESS, 0, "min", 0, SQL, low},
	{"high", NULL, 0, MEMPHIS_SHOWN_ADDRESS, 0, "max", 0, SQL, high},
	{"bytes", NULL, 0, MEMPHIS_SHOWN_NUMBER, 0, "sum", 0, SQL, bytes},
	{"waited_cycles", NULL, 0, MEMPHIS_SHOWN_REAL, 0, "sum", MEMPHIS_NEEDS_WAITING, CSV | SQL, waited},
	{"waited_low", NULL, 0, MEMPHIS_SHOWN_REAL, 0, NULL, MEMPHIS_NEEDS_WAITING, CSV, waited_low},
	{"waited_high", NULL, 0, MEMPHIS_SHOWN_REAL, 0, NULL, MEMPHIS_NEEDS_WAITING, CSV, waited_high},
	{"gain_cycles", NULL, 0, MEMPHIS_SHOWN_REAL, 0, "sum", MEMPHIS_NEEDS_WAITING, CSV | SQL, gain},
	{"gain_low", NULL, 0, MEMPHIS_SHOWN_REAL, 0, NULL, MEMPHIS_NEEDS_WAITING, CSV, gain_low},
	{"gain_high", NULL, 0, MEMPHIS_SHOWN_REAL, 0, NULL, MEMPHIS_NEEDS_WAITING, CSV, gain_high},
	{"via", NULL, 0, MEMPHIS_SHOWN_TEXT, 0, NULL, MEMPHIS_NEEDS_CALLERS, CSV, via},
	{"certainty", NULL, 0, MEMPHIS_SHOWN_REAL, 4, NULL, MEMPHIS_NEEDS_ESTIMATES, CSV | SQL, certainty},
	{"type", NULL, 0, MEMPHIS_SHOWN_TEXT, 0, NULL, 0, CSV, type},
	{"member", NULL, 0, MEMPHIS_SHOWN_TEXT, 0, NULL, 0, CSV, member},
	{"waited_share", NULL, 0, MEMPHIS_SHOWN_REAL, 4, "sum", MEMPHIS_NEEDS_WAITING, CSV | SQL, waited_share},
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

int memphis_columns_count(unsigned int place)
{
	const struct memphis_column *column = NULL;
	int count = 0;

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
