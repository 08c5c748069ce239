/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues of metrics, values and marks for the drain. Also computes the sums of counts that start late, pause or are reset. */
#include <stdio.h>
#include <string.h>

#include "counters/values.h"

_Static_assert(sizeof(struct memphis_counter_value) == 32, "no padding in values");
_Static_assert(sizeof(struct memphis_counter_mark) == 16, "no padding in marks");

const char memphis_counters_late[] = "late";

static void add_problem(struct memphis_counters_reading *reading, const char *kind, const char *name,
			const char *why)
{
	struct memphis_counters_values *v = reading->values;
	__u32 at = atomic_load_explicit(&v->problems_there, memory_order_relaxed);
	struct memphis_counters_problem *problem;

	if (at == MEMPHIS_COUNTER_PROBLEMS_MAX)
		return;
	problem = &v->problems[at];
	problem->source = reading->source->name;
	problem->kind = kind;
	snprintf(problem->text, sizeof(problem->text), "%.*s: %s", MEMPHIS_COUNTER_NAME_MAX, name, why);
	atomic_store_explicit(&v->problems_there, at + 1, memory_order_release);
}

static void refuse_metric(struct memphis_counters_sink *sink, const char *name, const char *why)
{
	struct memphis_counters_reading *reading = (struct memphis_counters_reading *)sink;

	reading->refused++;
	atomic_fetch_add(&reading->values->metrics_refused, 1);
	add_problem(reading, "refused", name, why);
}

static bool is_metric_of(const struct memphis_counters_metric *metric,
			 const struct memphis_counters_reading *reading,
			 const struct memphis_counters_quantity *quantity)
{
	return metric->source == reading->source && metric->node == quantity->node &&
	       !strcmp(metric->name, quantity->name);
}

/* Copies a unit without its blanks. Writes "-" if the unit is empty. */
static void copy_unit(char *to, size_t bytes, const char *unit)
{
	size_t used = 0;

	for (; unit && *unit && used + 1 < bytes; unit++)
		if (*unit > ' ')
			to[used++] = *unit;
	if (!used)
		to[used++] = '-';
	to[used] = '\0';
}

static struct memphis_counters_metric *make_metric(struct memphis_counters_reading *reading,
						   const struct memphis_counters_quantity *quantity, __u32 at)
{
	struct memphis_counters_values *v = reading->values;
	struct memphis_counters_metric *metric;

	if (at == MEMPHIS_COUNTER_METRICS_MAX || strlen(quantity->name) >= MEMPHIS_COUNTER_NAME_MAX) {
		atomic_fetch_add(&v->metrics_left_out, 1);
		return NULL;
	}
	metric = &v->metrics[at];
	memset(metric, 0, sizeof(*metric));
	metric->source = reading->source;
	strcpy(metric->name, quantity->name);
	copy_unit(metric->unit, sizeof(metric->unit), quantity->unit);
	metric->node = quantity->node;
	metric->process = quantity->process;
	metric->gauge = quantity->gauge;
	atomic_store_explicit(&v->metrics_there, at + 1, memory_order_release);
	return metric;
}

/*
 * Finds a metric, or adds it. The search starts at the expected metric, because sources report metrics in the
 * same order each time.
 */
static struct memphis_counters_metric *find_or_add_metric(struct memphis_counters_reading *reading,
							  const struct memphis_counters_quantity *quantity)
{
	struct memphis_counters_values *v = reading->values;
	__u32 there = atomic_load_explicit(&v->metrics_there, memory_order_relaxed);
	__u32 i;

	for (i = 0; i < there; i++) {
		struct memphis_counters_metric *metric = &v->metrics[(reading->next + i) % there];

		if (is_metric_of(metric, reading, quantity))
			return metric;
	}
	return make_metric(reading, quantity, there);
}

/*
 * Adds the increase since the previous reading to the metric's sum, and returns 0. The first reading of a
 * metric adds nothing, and also returns 0. Later, the increase is unknown if the previous reading did not
 * contain the metric, or if the value has decreased (a reset). Then returns MEMPHIS_COUNTER_GAP.
 */
static __u32 add_increase(struct memphis_counters_metric *metric, __u64 reading, double raw)
{
	bool seen = metric->reading && metric->reading + 1 == reading;
	__u32 flags = 0;

	if (seen && raw >= metric->raw)
		metric->sum += raw - metric->raw;
	else if (metric->reading)
		flags = MEMPHIS_COUNTER_GAP;
	metric->raw = raw;
	return flags;
}

static void put_value(struct memphis_counters_sink *sink, const struct memphis_counters_quantity *quantity,
		      double raw)
{
	struct memphis_counters_reading *reading = (struct memphis_counters_reading *)sink;
	struct memphis_counters_values *v = reading->values;
	struct memphis_counters_metric *metric = find_or_add_metric(reading, quantity);
	struct memphis_counter_value *value;
	__u64 at;
	__u32 flags;

	if (!metric)
		return;
	reading->next = (__u32)(metric - v->metrics) + 1;
	flags = metric->gauge ? 0 : add_increase(metric, reading->number, raw);
	metric->reading = reading->number;
	at = atomic_load_explicit(&v->values_head, memory_order_relaxed) + reading->staged;
	if (at - atomic_load_explicit(&v->values_tail, memory_order_acquire) >= MEMPHIS_COUNTER_VALUES_MAX) {
		atomic_fetch_add(&v->values_left_out, 1);
		return;
	}
	value = &v->values[at % MEMPHIS_COUNTER_VALUES_MAX];
	*value = (struct memphis_counter_value){
		.value = metric->gauge ? raw : metric->sum,
		.metric = (__u32)(metric - v->metrics) + 1,
		.flags = flags,
	};
	reading->staged++;
}

void memphis_counters_reading_init(struct memphis_counters_reading *reading,
				   struct memphis_counters_values *values,
				   const struct memphis_counters_source *source)
{
	*reading = (struct memphis_counters_reading){
		.sink = {.value = put_value, .refuse = refuse_metric},
		.values = values,
		.source = source,
	};
}

void memphis_counters_reading_begin(struct memphis_counters_reading *reading, __u64 time_ns)
{
	reading->number++;
	reading->sink.asked_ns = time_ns;
	reading->staged = 0;
}

void memphis_counters_reading_end(struct memphis_counters_reading *reading, __u64 time_ns, const char *why)
{
	struct memphis_counters_values *v = reading->values;
	__u64 head = atomic_load_explicit(&v->values_head, memory_order_relaxed);
	__u32 i;

	if (why == memphis_counters_late) {
		reading->number--; /* no reading took place, so the next reading continues the counts */
		return;
	}
	for (i = 0; i < reading->staged; i++) {
		struct memphis_counter_value *value = &v->values[(head + i) % MEMPHIS_COUNTER_VALUES_MAX];

		value->time_ns = time_ns;
		value->took_ns = time_ns - reading->sink.asked_ns;
	}
	atomic_store_explicit(&v->values_head, head + reading->staged, memory_order_release);
	reading->staged = 0;
	if (why && !reading->lost && reading->told < MEMPHIS_COUNTER_LOST_TOLD) {
		reading->told++;
		add_problem(reading, "lost", reading->source->name, why);
	}
	reading->lost = why != NULL;
}

void memphis_counters_mark_add(struct memphis_counters_values *v, __u64 time_ns, __u32 region)
{
	__u64 at = atomic_load_explicit(&v->marks_head, memory_order_relaxed);

	if (at - atomic_load_explicit(&v->marks_tail, memory_order_acquire) >= MEMPHIS_COUNTER_MARKS_MAX) {
		atomic_fetch_add(&v->marks_left_out, 1);
		return;
	}
	v->marks[at % MEMPHIS_COUNTER_MARKS_MAX] =
		(struct memphis_counter_mark){.time_ns = time_ns, .region = region};
	atomic_store_explicit(&v->marks_head, at + 1, memory_order_release);
}

void memphis_counters_metrics_take(struct memphis_counters_values *v, struct memphis_text_buffer *text)
{
	__u32 metrics = atomic_load_explicit(&v->metrics_there, memory_order_acquire);
	__u32 problems = atomic_load_explicit(&v->problems_there, memory_order_acquire);
	char node[16];

	for (; v->metrics_taken < metrics; v->metrics_taken++) {
		const struct memphis_counters_metric *metric = &v->metrics[v->metrics_taken];

		snprintf(node, sizeof(node), metric->node < 0 ? "-" : "%d", metric->node);
		memphis_text_add(text, "%u %s %s %s %s %s ", v->metrics_taken + 1, metric->source->name,
				 metric->process ? "process" : "host", metric->gauge ? "gauge" : "counter",
				 node, metric->unit);
		memphis_text_add_value(text, metric->name, strlen(metric->name));
	}
	for (; v->problems_told < problems; v->problems_told++) {
		const struct memphis_counters_problem *problem = &v->problems[v->problems_told];

		memphis_text_add(text, "0 %s host %s - - ", problem->source, problem->kind);
		memphis_text_add_value(text, problem->text, strlen(problem->text));
	}
}

#define DEFINE_TAKE(queue, type, most)                                                                  \
	__u32 memphis_counters_##queue##_take(struct memphis_counters_values *v, __u64 head, type *out, \
					      __u32 count)                                              \
	{                                                                                               \
		__u64 tail = atomic_load_explicit(&v->queue##_tail, memory_order_relaxed);              \
		__u32 taken = 0;                                                                        \
                                                                                                        \
		for (; tail != head && taken < count; tail++)                                           \
			out[taken++] = v->queue[tail % (most)];                                         \
		atomic_store_explicit(&v->queue##_tail, tail, memory_order_release);                    \
		return taken;                                                                           \
	}
DEFINE_TAKE(values, struct memphis_counter_value, MEMPHIS_COUNTER_VALUES_MAX)
DEFINE_TAKE(marks, struct memphis_counter_mark, MEMPHIS_COUNTER_MARKS_MAX)
