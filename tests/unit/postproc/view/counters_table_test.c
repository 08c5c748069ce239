// SPDX-License-Identifier: BSD-3-Clause
/* Attribution of counters to regions and time. If this fails, counters are attributed to the wrong caliper or the wrong time. */
#include "view/counters_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../../tap.h"

static struct memphis_span span_of(const char *text)
{
	return (struct memphis_span){text, strlen(text)};
}

static struct memphis_counters *begin(const char *metrics)
{
	struct memphis_counters *counters = calloc(1, sizeof(*counters));

	ok(!memphis_counters_add_metrics(counters, span_of(metrics)), "metrics are read");
	counters->start_ns = 1000;
	return counters;
}

static int mark(struct memphis_counters *counters, uint64_t time_ns, uint32_t region)
{
	const struct memphis_counter_mark one = {.time_ns = time_ns, .region = region};

	return memphis_counters_add_marks(counters, &one, 1);
}

static int add(struct memphis_counters *counters, uint32_t metric, uint64_t time_ns, double value,
	       uint32_t flags)
{
	const struct memphis_counter_value one = {
		.time_ns = time_ns, .took_ns = 5, .value = value, .metric = metric, .flags = flags};

	return memphis_counters_add_value(counters, &one);
}

/* Returns "REGION: SUM shared SHARED in NS" for each region. */
static char *cells_of(const struct memphis_counter_metric *metric)
{
	static char room[1000];
	char *to = room;
	size_t i;

	*to = 0;
	for (i = 0; i < metric->cell_count; i++)
		to += sprintf(to, "%s%u: %g shared %g in %llu", i ? ", " : "", metric->cells[i].region,
			      metric->cells[i].sum, metric->cells[i].shared,
			      (unsigned long long)metric->cells[i].covered_ns);
	return room;
}

/* Returns "REGION: MEAN from LOW to HIGH in NS" for each region. */
static char *gauges_of(const struct memphis_counter_metric *metric)
{
	static char room[1000];
	const struct memphis_counters_cell *cell;
	char *to = room;
	size_t i;

	*to = 0;
	for (i = 0; i < metric->cell_count; i++) {
		cell = &metric->cells[i];
		to += sprintf(to, "%s%u: %g from %g to %g in %llu", i ? ", " : "", cell->region,
			      cell->covered_ns ? cell->sum / (double)cell->covered_ns : NAN, cell->low,
			      cell->high, (unsigned long long)cell->covered_ns);
	}
	return room;
}

static void counters(void)
{
	struct memphis_counters *counters = begin("1 io process counter - bytes read\n");

	mark(counters, 1300, 1);
	mark(counters, 2000, 2);
	mark(counters, 3000, 0);
	add(counters, 1, 1000, 50, 0);
	add(counters, 1, 2000, 1050, 0);
	memphis_counters_settle(counters);
	is_text(cells_of(counters->metrics), "0: 300 shared 300 in 300, 1: 700 shared 700 in 700",
		"an increase over two regions is divided by time, 30 to 70");
	memphis_counters_close(counters);

	counters = begin("1 io process counter - bytes read\n");
	mark(counters, 2000, 2);
	mark(counters, 3000, 0);
	add(counters, 1, 2000, 0, 0);
	add(counters, 1, 2500, 100, 0);
	add(counters, 1, 3000, 300, 0);
	add(counters, 1, 4000, 307, 0);
	memphis_counters_settle(counters);
	is_text(cells_of(counters->metrics), "0: 7 shared 0 in 1000, 2: 300 shared 0 in 1000",
		"with a reading at the time of each mark, nothing is divided");
	memphis_counters_close(counters);

	counters = begin("1 io process counter - bytes read\n");
	mark(counters, 2000, 2);
	mark(counters, 3000, 0);
	add(counters, 1, 2010, 0, 0);
	add(counters, 1, 3010, 1000, 0);
	add(counters, 1, 3900, 1089, 0);
	memphis_counters_settle(counters);
	is_text(cells_of(counters->metrics), "0: 99 shared 10 in 900, 2: 990 shared 0 in 990",
		"with readings shortly after the marks, only the rest between mark and reading is uncertain");
	memphis_counters_close(counters);

	counters = begin("1 io process counter - bytes read\n");
	mark(counters, 2000, 1);
	mark(counters, 2100, 0);
	mark(counters, 2100, 1);
	mark(counters, 2200, 0);
	mark(counters, 2300, 1);
	add(counters, 1, 2000, 0, 0);
	add(counters, 1, 2200, 20, 0);
	add(counters, 1, 2400, 40, 0);
	memphis_counters_settle(counters);
	is_text(cells_of(counters->metrics), "0: 10 shared 10 in 100, 1: 30 shared 10 in 300",
		"a caliper that is closed and opened at the same time counts as one interval");
	memphis_counters_close(counters);
}

static void gaps(void)
{
	struct memphis_counters *counters =
		begin("1 io process counter - bytes read\n2 io process counter - bytes written\n");
	const struct memphis_counter_metric *read = &counters->metrics[0], *written = &counters->metrics[1];

	add(counters, 1, 1000, 0, 0);
	add(counters, 1, 2000, 10, 0);
	add(counters, 2, 2500, 1000000, 0);
	add(counters, 1, 3000, 999, MEMPHIS_COUNTER_GAP);
	add(counters, 2, 3000, 1000001, 0);
	add(counters, 1, 4000, 1000, 0);
	add(counters, 1, 5000, 500, 0);
	add(counters, 1, 6000, 502, 0);
	memphis_counters_settle(counters);
	is_text(cells_of(read), "0: 13 shared 0 in 3000", "the increase over a gap is ignored");
	ok(read->gaps == 2 && read->gap_ns == 2000 && read->backwards == 1 && read->covered_ns == 3000,
	   "gaps and decreases of a counter are counted");
	is_text(cells_of(written), "0: 1 shared 0 in 500",
		"a counter that starts later counts from its first reading");
	ok(read->readings == 6 && read->took_ns == 30 && read->took_most_ns == 5,
	   "readings and their durations are counted");
	memphis_counters_close(counters);
}

static void gauges(void)
{
	struct memphis_counters *counters =
		begin("1 vmstat host gauge 1 pages nr_free\n2 vmstat host gauge 0 pages nr_free\n");

	mark(counters, 1250, 1);
	mark(counters, 2000, 0);
	add(counters, 1, 1000, 0, 0);
	add(counters, 1, 2000, 1000, 0);
	add(counters, 1, 4000, 500, 0);
	add(counters, 2, 4000, -7, 0);
	memphis_counters_settle(counters);
	/* outside: 125 in 250 ns and 750 in 2000 ns */
	is_text(gauges_of(&counters->metrics[0]),
		"0: 680.556 from 0 to 1000 in 2250, 1: 625 from 250 to 1000 in 750",
		"means of gauges are weighted by time, and interpolated linearly between readings");
	is_text(gauges_of(&counters->metrics[1]), "", "a gauge with a single reading covers no time");
	memphis_counters_close(counters);
}

static void series(void)
{
	struct memphis_counters *counters =
		begin("1 io process counter - bytes read\n2 vmstat host gauge - - load\n");
	const struct memphis_counters_bin *bins;
	double sum = 0;
	size_t i;

	add(counters, 1, 1000, 0, 0);
	add(counters, 1, 1000 + (3 << 20), 300, 0);
	add(counters, 2, 1000 + (1 << 20), 2, 0);
	add(counters, 2, 1000 + (3 << 20), 4, 0);
	bins = counters->metrics[0].bins;
	ok(counters->width_ns == 1 << 20 && bins[0].sum == 100 && bins[2].sum == 100 && bins[3].sum == 0 &&
		   bins[0].covered_ns == 1 << 20,
	   "an increase is spread over the time steps between two readings");
	bins = counters->metrics[1].bins;
	ok(!bins[0].covered_ns && bins[1].sum / (1 << 20) == 2.5 && bins[2].sum / (1 << 20) == 3.5,
	   "a gauge has its mean in each time step");
	add(counters, 1, 1000 + (256 << 20), 553, 0);
	for (i = 0; i < MEMPHIS_TICKS; i++)
		sum += counters->metrics[0].bins[i].sum;
	ok(counters->width_ns == 2 << 20 && fabs(sum - 553) < 1e-9 &&
		   counters->metrics[0].bins[0].sum == 200 && counters->metrics[0].bins[1].sum == 101 &&
		   counters->metrics[0].bins[128].sum == 0,
	   "time steps widen for long runs, without a loss");
	ok(counters->metrics[1].bins[0].covered_ns == 1 << 20 &&
		   counters->metrics[1].bins[1].covered_ns == 1 << 20,
	   "the time steps of all metrics widen together");
	memphis_counters_close(counters);
}

static void latest(void)
{
	struct memphis_counters *counters = begin("1 io process counter - bytes read\n");
	const struct memphis_counters_bin *last = NULL;

	counters->start_ns = 0;
	add(counters, 1, 0, 0, 0);
	ok(!add(counters, 1, UINT64_MAX, 512, 0), "a reading at the largest time is accepted");
	last = &counters->metrics[0].bins[MEMPHIS_TICKS - 1];
	ok(counters->width_ns == 1ull << 56 && last->sum == 2,
	   "a reading at the largest time counts in the last time step");
	memphis_counters_close(counters);
}

static void nonsense(void)
{
	static const char *const wrong[] = {
		"1 io process counter - bytes",
		"1 io process gauge - - two of one number\n1 io process gauge - - b",
		"0 io process counter - bytes a",
		"4097 io process counter - bytes a",
		"1 io all counter - bytes a",
		"1 io process level - bytes a",
		"1 io process counter 65535 bytes a"};
	struct memphis_counters *counters;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		counters = calloc(1, sizeof(*counters));
		/* The first line is accepted: a metric without a name has an empty name. */
		ok(memphis_counters_add_metrics(counters, span_of(wrong[i])) == (i ? -EBADMSG : 0), "%s: %s",
		   i ? "a malformed metric is refused" : "a metric without a name is accepted", wrong[i]);
		memphis_counters_close(counters);
	}
	counters = begin("1 io process counter - bytes read\n0 io host refused - - all: no\n");
	ok(add(counters, 0, 1000, 1, 0) == -EBADMSG && add(counters, 2, 1000, 1, 0) == -EBADMSG &&
		   add(counters, UINT32_MAX, 1000, 1, 0) == -EBADMSG,
	   "a reading of an unknown metric is refused");
	ok(add(counters, 1, 1000, NAN, 0) == -EBADMSG && add(counters, 1, 1000, INFINITY, 0) == -EBADMSG &&
		   add(counters, 1, 1000, 1e31, 0) == -EBADMSG,
	   "a reading that is not finite, or absurdly large, is refused");
	ok(!add(counters, 1, 1000, 1, 0) && !add(counters, 1, 1000, 2, 0) &&
		   add(counters, 1, 999, 3, 0) == -EBADMSG,
	   "a reading earlier than the previous one is refused");
	is_text(cells_of(counters->metrics), "0: 1 shared 0 in 0",
		"two readings at the same time cover no time");
	ok(!mark(counters, 1000, 1) && !mark(counters, 1000, 2) && mark(counters, 999, 1) == -EBADMSG,
	   "a mark earlier than the previous one is refused");
	memphis_counters_close(counters);
}

static void problems(void)
{
	struct memphis_counters *counters =
		begin("1 io process counter - bytes read\n0 pcp host lost - - pcp: gone\n"
		      "0 pcp host lost - - pcp: gone\n0 pcp host refused - - pcp: gone\n");
	char line[64];
	int i;

	ok(counters->metric_count == 3, "a loss that is recorded twice is kept once");
	for (i = 0; i < 2000; i++) {
		snprintf(line, sizeof(line), "0 pcp host lost - - %d: gone\n", i);
		memphis_counters_add_metrics(counters, span_of(line));
	}
	ok(counters->metric_count == 1 + MEMPHIS_COUNTER_PROBLEMS_MAX && !add(counters, 1, 1000, 1, 0),
	   "the number of losses that are kept is bounded");
	memphis_counters_close(counters);
}

/* Adds a process on `host` with a process counter, a host counter and a host gauge, read at 1000 and `to`. */
static void add_process(struct memphis_processes *processes, uint64_t run, const char *host, uint64_t to,
			double own, double hosts)
{
	struct memphis_process *process = memphis_append(processes->list, processes->count, processes->room);
	struct memphis_counters *counters = begin(
		"1 io process counter - bytes read\n2 numastat host counter 0 pages other_node\n3 vmstat host gauge 0 pages free\n");
	char line[100];

	snprintf(line, sizeof(line), "host %s\n", host);
	memphis_settings_add(&process->settings, span_of(line));
	process->run[0] = run;
	process->pid = (uint32_t)run;
	process->counters = counters;
	process->regions = calloc(1, sizeof(*process->regions));
	process->regions->id = (uint32_t)run;
	process->regions->name = strdup("Loop");
	process->region_count = 1;
	mark(counters, 1000, (uint32_t)run);
	add(counters, 1, 1000, 0, 0);
	add(counters, 2, 1000, 0, 0);
	add(counters, 3, 1000, hosts, 0);
	add(counters, 1, to, own, 0);
	add(counters, 2, to, hosts, 0);
	add(counters, 3, to, hosts, 0);
	memphis_counters_settle(counters);
}

static const struct memphis_counters_sum *sum_of(const struct memphis_counters_table *table, size_t row)
{
	return &table->rows[row].sums[0];
}

static void processes(void)
{
	const struct memphis_selection one = {.which = {.text = "6", .number = 6}};
	struct memphis_processes all = {0};
	struct memphis_counters_table table = {0};

	add_process(&all, 7, "alpha", 2001000, 100, 11);
	add_process(&all, 5, "alpha", 2001000, 200, 12);
	add_process(&all, 6, "alpha", 1001000, 400, 13);
	add_process(&all, 9, "beta", 1001000, 800, 30);
	ok(!memphis_counters_keep_one_per_host(&all) && all.list[0].counters->metric_count == 1 &&
		   all.list[1].counters->metric_count == 3 && all.list[2].counters->metric_count == 1 &&
		   all.list[3].counters->metric_count == 3,
	   "the process of a host that covers most time keeps the host's counters; of equal ones, the smaller run");
	ok(!memphis_counters_table_make(&table, &all, &(struct memphis_selection){0}) &&
		   table.row_count == 3 && table.region_count == 1,
	   "regions of several processes with the same name are one");
	is_text(table.regions[0].name, "Loop", "a region in the table has its name");
	ok(sum_of(&table, 0)->sum == 1500 && table.rows[0].processes == 4 &&
		   sum_of(&table, 0)->covered_ns == 6000000 && sum_of(&table, 0)->longest_ns == 2000000,
	   "counters of processes are added");
	ok(memphis_counters_rate(sum_of(&table, 0)) == 750000, "a rate is per second of the longest process");
	ok(sum_of(&table, 1)->sum == 42 && table.rows[1].processes == 2,
	   "counters of hosts are added over hosts");
	ok(memphis_counters_mean(sum_of(&table, 2)) == (2 * 12 + 1 * 30) / 3.0 &&
		   sum_of(&table, 2)->low == 12 && sum_of(&table, 2)->high == 30,
	   "gauges of hosts are averaged by time");
	memphis_counters_table_close(&table);
	ok(!memphis_counters_table_make(&table, &all, &one) && sum_of(&table, 0)->sum == 400 &&
		   sum_of(&table, 1)->sum == 42,
	   "for one process, the table has its own counters and those of all hosts");
	memphis_counters_table_close(&table);
	memphis_processes_close(&all);
}

int main(void)
{
	counters();
	gaps();
	gauges();
	series();
	latest();
	nonsense();
	problems();
	processes();
	return finish();
}
