/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memphis-pcp NAMES PID: reads metrics of Performance Co-Pilot for libmemphis (counters/helper.h). NAMES is a
 * list of metrics, each optionally with an instance in brackets. MEMPHIS_COUNTERS_PCP_HOST names the host
 * whose pmcd is queried. The default is the local host.
 */
#include <stdbool.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "settings/counter_list.h"
#include "helper.h"

#define METRICS_MAX   512
#define INSTANCES_MAX 65536
#define OWN_HOST      "local:"

struct instance {
	int id;
	char *name;
};

struct metric {
	char name[HELPER_NAMES_MAX]; /* metric name without the instance */
	char only[HELPER_NAMES_MAX]; /* name of the requested instance; "": all instances */
	int id;                      /* id of the requested instance */
	pmDesc desc;
	char unit[64];
	pmUnits units; /* units to which values are converted if `converts` is set */
	bool converts;
	struct instance *instances;
	int instance_count;
};

static struct metric metrics[METRICS_MAX], *wanted[METRICS_MAX];
static int metric_count, wanted_count; /* numbers of metrics requested and found */
static int counters = -1;              /* PMAPI context */
static bool connected, looked_up;
static const char *host;

/* Returns true if the error concerns the connection to pmcd, not a metric. */
static bool is_connection_error(int status)
{
	return status == PM_ERR_IPC || status == PM_ERR_TIMEOUT || status == PM_ERR_NOTCONN ||
	       status == -ECONNRESET || status == -EPIPE || status == -ECONNREFUSED || status == -ENOENT ||
	       status == -ETIMEDOUT || status == -ENOTCONN || status == -EHOSTUNREACH;
}

static void report_lost_connection(int status)
{
	helper_lost(strcmp(host, OWN_HOST) ? host : "pmcd", pmErrStr(status));
	connected = false;
}

/* Converts all sizes to bytes and all times to nanoseconds. */
static void choose_unit(struct metric *m)
{
	const pmUnits *u = &m->desc.units;

	m->units = *u;
	if (u->dimSpace == 1 && !u->dimTime && !u->dimCount)
		m->units.scaleSpace = PM_SPACE_BYTE;
	else if (u->dimTime == 1 && !u->dimSpace && !u->dimCount)
		m->units.scaleTime = PM_TIME_NSEC;
	m->converts = memcmp(&m->units, u, sizeof(*u)) != 0;
	if (m->units.dimSpace == 1 && !u->dimTime && !u->dimCount)
		strcpy(m->unit, "bytes");
	else if (m->units.dimTime == 1 && !u->dimSpace && !u->dimCount)
		strcpy(m->unit, "ns");
	else
		snprintf(m->unit, sizeof(m->unit), "%s", pmUnitsStr(u));
}

static bool is_number(int type)
{
	return type == PM_TYPE_32 || type == PM_TYPE_U32 || type == PM_TYPE_64 || type == PM_TYPE_U64 ||
	       type == PM_TYPE_FLOAT || type == PM_TYPE_DOUBLE;
}

/* Looks up a metric. Returns 0, 1 if the metric was refused, or the negative status of a failed connection. */
static int look_up_metric(struct metric *m)
{
	const char *name = m->name, *why = NULL;
	int status;
	pmID id;

	/* The cast is for PCP 5.0, whose header declares this parameter without const. */
	status = pmLookupName(1, (void *)&name, &id);
	if (status >= 0)
		status = pmLookupDesc(id, &m->desc);
	if (status < 0 && is_connection_error(status))
		return status;
	if (status < 0)
		why = pmErrStr(status);
	else if (!is_number(m->desc.type))
		why = "it is no number";
	else if (*m->only && m->desc.indom == PM_INDOM_NULL)
		why = "it has no instances";
	if (!why && *m->only) {
		m->id = pmLookupInDom(m->desc.indom, m->only);
		if (m->id < 0 && is_connection_error(m->id))
			return m->id;
		if (m->id < 0)
			why = pmErrStr(m->id);
	}
	if (why) {
		char whole[2 * HELPER_NAMES_MAX + 4];

		snprintf(whole, sizeof(whole), *m->only ? "%s[%s]" : "%s", m->name, m->only);
		helper_refuse(whole, why);
		return 1;
	}
	choose_unit(m);
	return 0;
}

static bool connect_or_report(void)
{
	int status;

	if (connected)
		return true;
	status = counters < 0 ? pmNewContext(PM_CONTEXT_HOST, host) : pmReconnectContext(counters);
	if (status < 0) {
		report_lost_connection(status);
		return false;
	}
	if (counters < 0)
		counters = status;
	connected = true;
	return true;
}

static bool look_up_metrics(void)
{
	int i, status;

	if (looked_up)
		return true;
	wanted_count = 0;
	for (i = 0; i < metric_count; i++) {
		status = look_up_metric(&metrics[i]);
		if (status < 0) {
			report_lost_connection(status);
			return false;
		}
		if (!status)
			wanted[wanted_count++] = &metrics[i];
	}
	looked_up = true;
	return true;
}

/* Returns the name of an instance, or NULL if the instance does not exist any more. Queries the name once and then caches it. */
static const char *instance_name(struct metric *m, int id)
{
	struct instance *more;
	char *name;
	int i;

	for (i = 0; i < m->instance_count; i++)
		if (m->instances[i].id == id)
			return m->instances[i].name;
	if (m->instance_count == INSTANCES_MAX || pmNameInDom(m->desc.indom, id, &name) < 0)
		return NULL;
	more = realloc(m->instances, (size_t)(m->instance_count + 1) * sizeof(*more));
	if (!more)
		return NULL;
	m->instances = more;
	m->instances[m->instance_count++] = (struct instance){id, name};
	return name;
}

/* Returns N for an instance named "nodeN", otherwise -1. */
static int instance_node(const char *instance)
{
	int node, length;

	if (instance && sscanf(instance, "node%d%n", &node, &length) == 1 && !instance[length])
		return node;
	return -1;
}

static void print_values(struct metric *m, const pmValueSet *set)
{
	char whole[2 * HELPER_NAMES_MAX + 4];
	const char *instance;
	pmAtomValue value, converted;
	int i;

	for (i = 0; i < set->numval; i++) {
		const pmValue *one = &set->vlist[i];
		bool single = m->desc.indom == PM_INDOM_NULL;

		if (!single && *m->only && one->inst != m->id)
			continue;
		instance = single ? NULL : instance_name(m, one->inst);
		if (!single && !instance)
			continue;
		if (pmExtractValue(set->valfmt, one, m->desc.type, &value, PM_TYPE_DOUBLE) < 0)
			continue;
		if (m->converts &&
		    !pmConvScale(PM_TYPE_DOUBLE, &value, &m->desc.units, &converted, &m->units))
			value = converted;
		snprintf(whole, sizeof(whole), single ? "%s" : "%s[%s]", m->name, instance);
		helper_value("host", m->desc.sem == PM_SEM_COUNTER ? "counter" : "gauge",
			     instance_node(instance), m->unit, value.d, whole);
	}
}

static void read_metrics(void)
{
	pmID ids[METRICS_MAX];
	pmResult *result;
	int i, status;

	if (!connect_or_report() || !look_up_metrics() || !wanted_count)
		return;
	for (i = 0; i < wanted_count; i++)
		ids[i] = wanted[i]->desc.pmid;
	status = pmFetch(wanted_count, ids, &result);
	if (status < 0) {
		report_lost_connection(status);
		return;
	}
	for (i = 0; i < wanted_count; i++) {
		if (result->vset[i]->numval < 0)
			helper_lost(wanted[i]->name, pmErrStr(result->vset[i]->numval));
		else
			print_values(wanted[i], result->vset[i]);
	}
	pmFreeResult(result);
}

static void parse_names(const char *names)
{
	char name[HELPER_NAMES_MAX], *bracket;

	while (metric_count < METRICS_MAX && memphis_counters_name(&names, name, sizeof(name))) {
		struct metric *m = &metrics[metric_count++];

		bracket = strchr(name, '[');
		if (bracket) {
			*bracket++ = '\0';
			bracket[strcspn(bracket, "]")] = '\0';
			strcpy(m->only, bracket);
		}
		strcpy(m->name, name);
	}
	if (*names)
		helper_refuse(names, "too many metrics");
}

int main(int count, char **arguments)
{
	if (count < 2 || !helper_begin())
		return 2;
	host = getenv("MEMPHIS_COUNTERS_PCP_HOST");
	if (!host || !*host)
		host = OWN_HOST;
	/* Retry lost connections after 1, 2 and 5 s, unless the user has set other times. */
	setenv("PMCD_RECONNECT_TIMEOUT", "1,2,5", 0);
	parse_names(arguments[1]);
	while (helper_next()) {
		read_metrics();
		helper_done();
	}
	return 0;
}
