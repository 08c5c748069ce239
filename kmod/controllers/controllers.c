// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of the memory controllers. Root writes the list of events to the module parameter, for two
 * reasons: inside the kernel, perf knows no names of such events; and users must not choose what is counted
 * on the whole machine. The events are not pinned, because events of other perf users have the same right to
 * the hardware.
 *
 * When a CPU goes offline, the driver of the PMU moves its events to another CPU. If no CPU that can count is
 * left, perf takes the event off its CPU permanently. The counter then stands still, and is reported as gone.
 * The driver of Linux 7.2 moves only the first event of each PMU. perf takes the other events off, even if
 * another CPU of the node could count them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <memphis/device.h>

#include "budget.h"
#include "controllers/controllers.h"
#include "controllers/list.h"
#include "event.h"
#include "session.h"

/* The counters that root has switched on. */
struct memphis_controller_set {
	u64 number; /* number of this set; each new set gets another one */
	char *text; /* the list as root has written it */
	struct memphis_controller_list list;
	struct perf_event *events[MEMPHIS_CONTROLLER_EVENTS_MAX];
};

/* The counts of a set of counters at the time at which a session was opened. */
struct memphis_controller_baseline {
	u64 number; /* of the set */
	struct {
		u64 bytes, enabled, running;
	} entries[];
};

/* Guards the following variables. The lock order is documented in session.h. */
static DEFINE_MUTEX(memphis_controllers_lock);
/* true between init and exit of the module; the module parameter can also be accessed before and after that */
static bool memphis_controllers_ready;
static struct memphis_controller_set *memphis_controllers_set; /* NULL if the counters are off */
static u64 memphis_controllers_number;                         /* number of the latest set */

static void memphis_set_free(struct memphis_controller_set *set)
{
	u32 i;

	if (!set)
		return;
	for (i = 0; i < set->list.event_count; i++)
		if (set->events[i])
			perf_event_release_kernel(set->events[i]);
	kfree(set->text);
	kvfree(set);
}

/*
 * Checks that the PMU has the expected name in the kernel. The number alone is not enough: the numbers of
 * PMUs differ from boot to boot, so in an old list a number may belong to another PMU by now, such as one
 * that measures energy.
 */
static bool memphis_is_controller(const struct pmu *pmu)
{
	return pmu->task_ctx_nr == perf_invalid_context && pmu->name &&
	       (!strncmp(pmu->name, "uncore_imc", strlen("uncore_imc")) ||
		!strncmp(pmu->name, "amd_umc_", strlen("amd_umc_")));
}

static int memphis_set_open(struct memphis_controller_set *set)
{
	struct perf_event_attr attr;
	struct perf_event *event;
	u32 i;

	for (i = 0; i < set->list.event_count; i++) {
		const struct memphis_controller_event *wanted = &set->list.events[i];

		if (wanted->cpu >= nr_cpu_ids || !cpu_possible(wanted->cpu))
			return -EINVAL;
		attr = (struct perf_event_attr){
			.type = wanted->type,
			.size = sizeof(attr),
			.config = wanted->config[0],
			.config1 = wanted->config[1],
			.config2 = wanted->config[2],
		};
		event = memphis_event_create(NULL, &attr, wanted->cpu, NULL, NULL, NULL);
		if (IS_ERR(event))
			return PTR_ERR(event);
		set->events[i] = event;
		if (!memphis_is_controller(event->pmu))
			return -EINVAL;
	}
	return 0;
}

static struct memphis_controller_set *memphis_set_create(const char *text)
{
	struct memphis_controller_set *set = kvzalloc(sizeof(*set), GFP_KERNEL);
	int error;

	if (!set)
		return ERR_PTR(-ENOMEM);
	set->text = kstrdup(text, GFP_KERNEL);
	error = set->text ? memphis_controller_list_parse(&set->list, text) : -ENOMEM;
	if (!error)
		error = memphis_set_open(set);
	if (!error)
		return set;
	memphis_set_free(set);
	return ERR_PTR(error);
}

static bool memphis_list_is_empty(const char *text)
{
	return !text[strspn(text, "; \t\n")];
}

/* The old events are released first, because they may occupy the hardware that the new ones need. */
static int memphis_controllers_replace(const char *text)
{
	struct memphis_controller_set *set;

	memphis_set_free(memphis_controllers_set);
	memphis_controllers_set = NULL;
	if (memphis_list_is_empty(text))
		return 0;
	set = memphis_set_create(text);
	if (IS_ERR(set))
		return PTR_ERR(set);
	set->number = ++memphis_controllers_number;
	memphis_controllers_set = set;
	return 0;
}

static int memphis_controllers_set_parameter(const char *value, const struct kernel_param *parameter)
{
	int error;

	mutex_lock(&memphis_controllers_lock);
	if (!memphis_controllers_ready) {
		error = memphis_list_is_empty(value) ? 0 : -EAGAIN;
		goto unlock;
	}
	error = memphis_controllers_replace(value);
	if (error)
		pr_warn("controllers: refused with error %d: the counters of memory controllers are off\n",
			error);
	else if (memphis_controllers_set)
		pr_info("controllers: all who may open the device can read %u counters of memory controllers\n",
			memphis_controllers_set->list.event_count);
unlock:
	mutex_unlock(&memphis_controllers_lock);
	return error;
}

static int memphis_controllers_get_parameter(char *buffer, const struct kernel_param *parameter)
{
	int length;

	mutex_lock(&memphis_controllers_lock);
	length = scnprintf(buffer, PAGE_SIZE, "%s\n",
			   memphis_controllers_set ? memphis_controllers_set->text : "");
	mutex_unlock(&memphis_controllers_lock);
	return length;
}

static const struct kernel_param_ops memphis_controllers_parameter = {
	.set = memphis_controllers_set_parameter,
	.get = memphis_controllers_get_parameter,
};
module_param_cb(controllers, &memphis_controllers_parameter, NULL, 0600);
MODULE_PARM_DESC(
	controllers,
	"Events of memory controllers that sessions may read (memphis node --controllers; default none).");

void memphis_controllers_init(void)
{
	mutex_lock(&memphis_controllers_lock);
	memphis_controllers_ready = true;
	mutex_unlock(&memphis_controllers_lock);
}

void memphis_controllers_exit(void)
{
	mutex_lock(&memphis_controllers_lock);
	memphis_controllers_ready = false;
	memphis_set_free(memphis_controllers_set);
	memphis_controllers_set = NULL;
	mutex_unlock(&memphis_controllers_lock);
}

u32 memphis_controllers_available(void)
{
	u32 count;

	mutex_lock(&memphis_controllers_lock);
	count = memphis_controllers_set ? memphis_controllers_set->list.entry_count : 0;
	mutex_unlock(&memphis_controllers_lock);
	return count;
}

/*
 * Adds up the counters of each entry. While a CPU goes offline, its events are on no CPU until the driver has
 * moved them. The lock of CPU hotplug is held so that the counters are not read in this state. Returns 0 or
 * -ENXIO.
 */
static int memphis_set_read(const struct memphis_controller_set *set, struct memphis_controller *entries)
{
	struct memphis_controller *entry;
	u64 enabled, running;
	int error = 0;
	u32 i;

	cpus_read_lock();
	for (i = 0; i < set->list.event_count && !error; i++) {
		entry = &entries[set->list.events[i].entry];
		if (READ_ONCE(set->events[i]->state) < PERF_EVENT_STATE_INACTIVE)
			error = -ENXIO;
		entry->bytes +=
			set->list.events[i].bytes * perf_event_read_value(set->events[i], &enabled, &running);
		entry->enabled_ns += enabled;
		entry->running_ns += running;
	}
	cpus_read_unlock();
	return error;
}

int memphis_controllers_begin(struct memphis_device_session *session)
{
	const struct memphis_controller_set *set;
	struct memphis_controller_baseline *baseline = NULL;
	struct memphis_controller *entries = NULL;
	int error = 0;
	u32 i;

	mutex_lock(&memphis_controllers_lock);
	set = memphis_controllers_set;
	/*
	 * If a security module forbids the caller to use perf, the session gets no start values.
	 * memphis_controllers_read() reports the reason.
	 */
	if (!set || memphis_event_ask(session))
		goto unlock;
	entries = kcalloc(set->list.entry_count, sizeof(*entries), MEMPHIS_GFP);
	baseline = kzalloc(struct_size(baseline, entries, set->list.entry_count), MEMPHIS_GFP);
	error = entries && baseline ? memphis_set_read(set, entries) : -ENOMEM;
	if (error)
		goto unlock;
	baseline->number = set->number;
	for (i = 0; i < set->list.entry_count; i++) {
		baseline->entries[i].bytes = entries[i].bytes;
		baseline->entries[i].enabled = entries[i].enabled_ns;
		baseline->entries[i].running = entries[i].running_ns;
	}
	session->controllers = baseline;
unlock:
	mutex_unlock(&memphis_controllers_lock);
	kfree(entries);
	if (error)
		kfree(baseline);
	return error == -ENOMEM ? error : 0;
}

void memphis_controllers_end(struct memphis_device_session *session)
{
	kfree(session->controllers);
}

int memphis_controllers_read(struct memphis_device_session *session, struct memphis_controllers *traffic)
{
	const struct memphis_controller_baseline *baseline = session->controllers;
	const struct memphis_controller_set *set;
	int error = 0;
	u32 i;

	mutex_lock(&memphis_controllers_lock);
	set = memphis_controllers_set;
	if (!set) {
		error = -EACCES;
		goto unlock;
	}
	traffic->count = set->list.entry_count;
	memcpy(traffic->entries, set->list.entries, sizeof(traffic->entries));
	error = memphis_set_read(set, traffic->entries);
	if (!error && (!baseline || !memphis_event_knows_current(session)))
		error = memphis_event_ask(session);
	if (!error && (!baseline || baseline->number != set->number))
		error = -ESTALE;
	for (i = 0; i < traffic->count && !error; i++) {
		traffic->entries[i].bytes -= baseline->entries[i].bytes;
		traffic->entries[i].enabled_ns -= baseline->entries[i].enabled;
		traffic->entries[i].running_ns -= baseline->entries[i].running;
	}
unlock:
	mutex_unlock(&memphis_controllers_lock);
	return error;
}
