/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the backend that takes the samples, and configures it according to the settings. */
#include <stdio.h>
#include <string.h>

#include <linux/perf_event.h>

#include <memphis.h>
#include <memphis/sampling_events.h>

#include "backend/backend.h"
#include "backend/part.h"
#include "base/pmc.h"
#include "base/say.h"
#include "base/text.h"
#include "decode/core_event.h"
#include "decode/model.h"
#include "decode/pmu_events.h"
#include "settings/env.h"
#include "settings/hardware.h"

/* Bits of enum memphis_sampling_event: the events that sample loads by their data source. */
#define BY_SOURCE (~(1u << MEMPHIS_EVENT_ACCESS))
/* Models on which perf can sample load latency only together with an auxiliary event. */
#define WITH_AUXILIARY (MEMPHIS_TRAIT_SAPPHIRE_RAPIDS | MEMPHIS_TRAIT_EMERALD_RAPIDS)
#define STACK_BYTES    512 /* default of MEMPHIS_CALLERS: a dozen small frames */

MEMPHIS_AT_FORK const struct memphis_backend *memphis_backend = &memphis_device;

bool memphis_backend_is_there(void)
{
	const __u64 allowed = memphis_settings.backend;
	int saved = errno;
	bool found = allowed == MEMPHIS_BACKEND_NONE ||
		     (allowed != MEMPHIS_BACKEND_PERF && memphis_device.is_there()) ||
		     (allowed != MEMPHIS_BACKEND_DEVICE && memphis_perf.is_there());

	errno = saved;
	return found;
}

const char *memphis_backend_remedy(int err)
{
	static char text[MEMPHIS_REMEDY_BYTES];

	memphis_backend->remedy(err, text, sizeof(text));
	return text;
}

/* Fills in the refusal and returns -ENODEV. */
static int set_refusal(struct memphis_refusal *refusal, const char *where, int err, const char *remedy)
{
	snprintf(refusal->where, sizeof(refusal->where), "%s", where);
	refusal->err = err;
	snprintf(refusal->remedy, sizeof(refusal->remedy), "%s", remedy);
	return -ENODEV;
}

/* Returns the period to use. Prints a message if the requested one is too long, or too short by a step or more. */
static __u64 fit_period(const struct memphis_query *query, __u32 events)
{
	const struct memphis_hardware *hardware = memphis_hardware(query->hardware);
	const bool access = events & 1u << MEMPHIS_EVENT_ACCESS;
	__u64 preset = access ? hardware->period : hardware->period_by_source;
	__u64 asked = memphis_settings.period == MEMPHIS_AUTO ? preset : memphis_settings.period;
	__u64 period = memphis_hardware_period(query, asked);

	if ((asked > query->period_max || asked + query->period_step <= query->period_min) &&
	    memphis_env_speaks())
		memphis_say(
			"memphis: MEMPHIS_PERIOD=%llu is ignored, %llu is used: %s takes %llu to %llu here\n",
			asked, period, query->pmu, query->period_min, query->period_max);
	return period;
}

/*
 * Returns the number of records per ring. Prints a message if the number is smaller than requested, because
 * the size of a ring is limited.
 */
static __u32 fit_ring(const struct memphis_query *query)
{
	__u64 asked = memphis_settings.ring_records, records = asked;

	while (records > query->ring_records_max && records > 2)
		records /= 2;
	if (records != asked && memphis_env_speaks())
		memphis_say("memphis: MEMPHIS_RING_RECORDS=%llu is ignored, %llu is used: at most %u here\n",
			    asked, records, query->ring_records_max);
	return (__u32)records;
}

static void list_events(char *text, size_t bytes, __u32 events)
{
	size_t used = 0;
	int i;

	for (i = 0; i < MEMPHIS_EVENTS; i++)
		if (events & 1u << i && used < bytes)
			used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? ", " : "",
						 memphis_event_names[i]);
}

#define EVENT_FLAGS(event, name, source, flags)  [event] = (flags),
#define EVENT_SOURCE(event, name, source, flags) [event] = (source),

/* Returns true if the filter drops all samples of this event. `event`: an event that samples loads by their data source. */
static bool drops_event(unsigned int event, __u64 drop)
{
	static const __u16 flags[MEMPHIS_EVENTS] = {MEMPHIS_SAMPLING_EVENTS(EVENT_FLAGS)};
	static const __u8 sources[MEMPHIS_EVENTS] = {MEMPHIS_SAMPLING_EVENTS(EVENT_SOURCE)};

	return drop & MEMPHIS_DROP_LOADS ||
	       (drop & MEMPHIS_DROP_LOCAL && !(flags[event] & MEMPHIS_FLAG_REMOTE)) ||
	       (drop & MEMPHIS_DROP_NOT_DRAM && sources[event] != MEMPHIS_SOURCE_DRAM);
}

/*
 * Returns true if the filter drops all samples of the selected events. Returns false if they include
 * MEMPHIS_EVENT_ACCESS (load latency).
 */
static bool drops_all(__u32 events, __u64 drop)
{
	unsigned int i;

	for (i = 0; i < MEMPHIS_EVENTS; i++)
		if (events & 1u << i && (i == MEMPHIS_EVENT_ACCESS || !drops_event(i, drop)))
			return false;
	return true;
}

static int choose_events(const struct memphis_query *query, struct memphis_config *config,
			 struct memphis_refusal *refusal)
{
	char where[160], remedy[200], list[100];
	/* The module does not offer load latency on CPUs where it needs an auxiliary event. */
	const bool by_perf = memphis_backend == &memphis_device && query->hardware == MEMPHIS_HARDWARE_PEBS &&
			     !(query->events & 1u << MEMPHIS_EVENT_ACCESS);

	config->events = memphis_settings.events == MEMPHIS_AUTO ? memphis_hardware_events(query)
								 : (__u32)memphis_settings.events;
	if (memphis_settings.events == MEMPHIS_AUTO && memphis_settings.drop & MEMPHIS_DROP_LOCAL)
		config->events &= ~(1u << MEMPHIS_EVENT_LOCAL_DRAM);
	list_events(list, sizeof(list), query->events);
	if (config->events & ~query->events) {
		snprintf(where, sizeof(where),
			 "MEMPHIS_EVENT asks for what this CPU or kernel does not offer");
		if (query->hardware == MEMPHIS_HARDWARE_IBS)
			snprintf(remedy, sizeof(remedy),
				 "leave it out: IBS samples all ops; MEMPHIS_FILTER selects accesses");
		else
			snprintf(remedy, sizeof(remedy), "use one or several of %s%s", list,
				 by_perf ? "; load latency may be possible by perf (MEMPHIS_BACKEND=perf)"
					 : "");
		return set_refusal(refusal, where, 0, remedy);
	}
	if (config->events & 1u << MEMPHIS_EVENT_ACCESS && config->events & BY_SOURCE)
		return set_refusal(refusal,
				   "MEMPHIS_EVENT: load-latency samples the loads of the other events, too",
				   0, "use it alone, or leave it out");
	if (config->events & BY_SOURCE && memphis_settings.min_latency != MEMPHIS_AUTO &&
	    memphis_settings.min_latency)
		return set_refusal(
			refusal, "MEMPHIS_MIN_LATENCY: samples of events of loads by source have no latency",
			0,
			query->events & 1u << MEMPHIS_EVENT_ACCESS
				? "leave it out, or use MEMPHIS_EVENT=load-latency"
			: by_perf
				? "leave it out; load latency may be possible by perf (MEMPHIS_BACKEND=perf)"
				: "leave it out: this CPU or kernel offers no load latency");
	if (drops_all(config->events, memphis_settings.drop)) {
		list_events(list, sizeof(list), config->events);
		snprintf(where, sizeof(where),
			 "MEMPHIS_FILTER drops all loads that MEMPHIS_EVENT samples (%s)", list);
		return set_refusal(refusal, where, 0, "leave out one of them");
	}
	return 0;
}

/*
 * Selects the hardware's filter. The backend may sample such sessions with another sampler and another
 * shortest period, so this updates *query.
 */
static int choose_hardware_filter(struct memphis_query *query, struct memphis_config *config,
				  struct memphis_refusal *refusal)
{
	const __u32 filter = (__u32)memphis_settings.hardware_filter;
	const char *name = memphis_hardware_filter_names[filter];
	char where[160];

	if (filter == MEMPHIS_HARDWARE_FILTER_NONE)
		return 0;
	if (!(query->hardware_filters & 1u << filter)) {
		snprintf(where, sizeof(where),
			 "MEMPHIS_HARDWARE_FILTER=%s: this CPU or kernel does not offer it", name);
		if (query->hardware != MEMPHIS_HARDWARE_IBS)
			return set_refusal(
				refusal, where, 0,
				"leave it out: PEBS samples only what MEMPHIS_EVENT and MEMPHIS_MIN_LATENCY select");
		return set_refusal(
			refusal, where, 0,
			query->hardware_filters & 1u << MEMPHIS_HARDWARE_FILTER_L3_MISS
				? "use l3-miss; latency needs Zen 5 and Linux 6.15"
				: "leave it out; l3-miss needs Zen 4 and Linux 5.19, latency Zen 5 and Linux 6.15");
	}
	if (filter == MEMPHIS_HARDWARE_FILTER_LATENCY &&
	    config->min_latency_cycles < MEMPHIS_HARDWARE_LATENCY_STEP)
		return set_refusal(
			refusal,
			"MEMPHIS_HARDWARE_FILTER=latency: the threshold of the hardware is at least 128 cycles",
			0, "set MEMPHIS_MIN_LATENCY to 128 or more, or use l3-miss");
	if (config->drop & MEMPHIS_DROP_LOADS) {
		snprintf(where, sizeof(where), "MEMPHIS_HARDWARE_FILTER=%s drops all stores", name);
		return set_refusal(refusal, where, 0, "leave it out, or MEMPHIS_FILTER=stores");
	}
	config->hardware_filter = filter;
	query->sampler = query->filter_sampler;
	query->period_min = query->filter_period_min;
	return 0;
}

/* Fills in the refusal of a module that knows these versions of the interface, and returns -ENODEV. */
static int refuse_abi(struct memphis_refusal *refusal, __u32 oldest, __u32 newest)
{
	char text[160];

	snprintf(text, sizeof(text), "the module has ABI %u to %u, library %s has %u to %u", oldest, newest,
		 MEMPHIS_VERSION, MEMPHIS_ABI_OLDEST, MEMPHIS_ABI);
	return set_refusal(refusal, text, 0, "install module and library of one version");
}

/*
 * Agrees with the open backend on a version of the interface. An older or newer module can be used if both
 * sides know a common version. The structures of other requests are known only after that. A module of
 * version 1 does not know this request. The other backends do not know it either, and do not need it, because
 * they are a part of the library.
 */
static int agree_on_abi(struct memphis_refusal *refusal)
{
	struct memphis_agreement agreement = {.oldest = MEMPHIS_ABI_OLDEST, .newest = MEMPHIS_ABI};
	int err = memphis_backend->request(MEMPHIS_IOC_AGREE, &agreement);
	char text[160];

	if (err == -ENOTTY)
		return 0;
	if (err) {
		snprintf(text, sizeof(text), "%.128s", memphis_settings.device);
		return set_refusal(refusal, text, -err, memphis_backend_remedy(-err));
	}
	if (agreement.abi)
		return 0;
	return refuse_abi(refusal, agreement.oldest, agreement.newest);
}

/* Queries the properties of the open backend. */
static int query_backend(struct memphis_query *query, struct memphis_refusal *refusal)
{
	char text[160];
	int err = agree_on_abi(refusal);

	if (err)
		return err;
	err = memphis_backend->request(MEMPHIS_IOC_QUERY, query);
	if (err) {
		snprintf(text, sizeof(text), "%.128s", memphis_settings.device);
		return set_refusal(
			refusal, text, -err,
			err == -ENOTTY
				? "this is not the device of a memphis module that this library knows; install module and library of one version"
				: memphis_backend_remedy(-err));
	}
	query->version[sizeof(query->version) - 1] = '\0';
	query->pmu[sizeof(query->pmu) - 1] = '\0';
	/* A module of version 1 has not been asked for its versions. */
	if (query->abi < MEMPHIS_ABI_OLDEST || query->abi > MEMPHIS_ABI)
		return refuse_abi(refusal, query->abi, query->abi);
	return 0;
}

/*
 * With perf: number of the ring's records for each stack in the ring of stacks. In a pass of the drain, a
 * thread's ring gets at most the contents of perf's buffers. With stacks, these hold far fewer samples than
 * the ring.
 */
#define PERF_STACKS_SHARE 4

/*
 * Chooses whether stacks are copied. With perf, this must be requested explicitly, because perf copies the
 * stack with each sample, even with samples that the filter drops.
 */
static void choose_stacks(const struct memphis_query *query, struct memphis_config *config)
{
	const __u64 asked = memphis_settings.callers;

	if (!asked)
		return;
	if (asked == MEMPHIS_AUTO && memphis_backend == &memphis_perf)
		return;
	config->stack_bytes = asked == MEMPHIS_AUTO ? STACK_BYTES : (__u32)asked;
	if (memphis_backend == &memphis_perf) {
		config->stack_records = config->ring_records < PERF_STACKS_SHARE
						? 1
						: config->ring_records / PERF_STACKS_SHARE;
		return;
	}
	config->stack_records =
		memphis_hardware_stacks(query, config, (unsigned long)sysconf(_SC_NPROCESSORS_ONLN));
	/* A kernel that is locked down for confidentiality allows samples but no copies of stacks. */
	if (asked == MEMPHIS_AUTO && memphis_backend->request(MEMPHIS_IOC_CONFIGURE, config) == -EPERM)
		config->stack_bytes = config->stack_records = 0;
}

/* Returns true if the backend refuses the configuration even without counters. */
static bool is_denied_without_counters(struct memphis_config config)
{
	int err;

	config.counters = 0;
	memset(config.counter_events, 0, sizeof(config.counter_events));
	err = memphis_backend->request(MEMPHIS_IOC_CONFIGURE, &config);
	return err == -EACCES || err == -EPERM;
}

/* Returns true if a security module of the kernel refuses even a session without filter, counters and stacks. */
static bool is_vetoed(struct memphis_config config)
{
	config.hardware_filter = 0;
	config.stack_bytes = config.stack_records = 0;
	return is_denied_without_counters(config);
}

static int refuse_configuration(const struct memphis_config *config, int err, struct memphis_refusal *refusal)
{
	char where[160];

	if ((err == -EACCES || err == -EPERM) && memphis_backend == &memphis_device) {
		snprintf(where, sizeof(where), "%.128s: configure", memphis_settings.device);
		if (is_vetoed(*config))
			return set_refusal(
				refusal, where, -err,
				"a security module of this node's kernel (SELinux, BPF ...) lets this program not use perf events: see docs/security.md");
		if (err == -EPERM && config->stack_bytes)
			return set_refusal(
				refusal, where, -err,
				"the kernel is locked down for confidentiality, so that no stacks may be copied: leave out MEMPHIS_CALLERS");
	}
	if (err == -EACCES && config->hardware_filter) {
		snprintf(
			where, sizeof(where),
			"MEMPHIS_HARDWARE_FILTER=%s: the module on this node allows no filter of the hardware (its parameter hardware_filters is N)",
			memphis_hardware_filter_names[config->hardware_filter]);
		return set_refusal(
			refusal, where, 0,
			"leave it out, or ask the site to load the module with hardware_filters=Y");
	}
	snprintf(where, sizeof(where), "%.128s: configure", memphis_settings.device);
	return set_refusal(refusal, where, -err, memphis_backend_remedy(-err));
}

/*
 * Fills in the events that the backend's sampler counts, because the region counters must not take hardware
 * counters from them. Returns their number. IBS uses no counter.
 */
static unsigned int sampling_events(const struct memphis_query *query, const struct memphis_config *config,
				    struct memphis_counter_event events[MEMPHIS_EVENTS + 1])
{
	const struct memphis_cpu_part part = memphis_part();
	unsigned int count = 0;
	__u32 i;

	for (i = 0; i < MEMPHIS_EVENTS && query->hardware == MEMPHIS_HARDWARE_PEBS; i++) {
		if (!(config->events & 1u << i))
			continue;
		events[count++] = (struct memphis_counter_event){
			.type = PERF_TYPE_RAW,
			.config = i == MEMPHIS_EVENT_ACCESS ? PEBS_CONFIG : PEBS_CONFIG_BY_SOURCE(i),
		};
		if (i == MEMPHIS_EVENT_ACCESS && memphis_model_traits(&part) & WITH_AUXILIARY)
			events[count++] = (struct memphis_counter_event){
				.type = PERF_TYPE_RAW,
				.config = PEBS_CONFIG_AUXILIARY,
			};
	}
	return count;
}

static int refuse_counter(const char *name, int err, struct memphis_refusal *refusal)
{
	static const struct memphis_error_answer remedies[] = {
		{{ENOSPC},
		 "the CPU does not count it at the same time as cycles, instructions, the events before it in the list, and what is sampled: leave out some events, and count them in another run; or another user of perf, such as the kernel's NMI watchdog, has taken a counter"},
		{{EACCES, EPERM},
		 "kernel.perf_event_paranoid must be at most 2; or sample through the module"},
		{{0},
		 "leave it out, or write another event: this CPU and kernel offer those that perf list names"},
	};
	char where[128];

	snprintf(where, sizeof(where), "MEMPHIS_REGION_COUNTERS: %s", name);
	/* The text of ENOSPC is about files and would be misleading here. */
	return set_refusal(refusal, where, err == ENOSPC ? 0 : err, memphis_answer_for(remedies, err));
}

/*
 * Selects the region counters. Where perf is forbidden, the module reads them. Where perf is allowed, RDPMC
 * reads them in a fiftieth of the time. Tries the events one by one, so that a refusal names the first event
 * that is too many.
 */
static int choose_counters(const struct memphis_query *query, struct memphis_config *config,
			   struct memphis_refusal *refusal)
{
	const struct memphis_core_events *events = &memphis_settings.region_counters;
	struct memphis_counter_event sampling[MEMPHIS_EVENTS + 1];
	const bool by_module =
		memphis_backend == &memphis_device && query->counters && !memphis_pmc_is_allowed();
	const bool intel = query->hardware == MEMPHIS_HARDWARE_PEBS;
	const unsigned int family = memphis_part().family;
	const unsigned int sampling_count = sampling_events(query, config, sampling);
	unsigned int i;
	int err = 0;

	memphis_pmc_event_count = 0;
	if (!events->on)
		return 0;
	if (by_module)
		config->counters = query->counters & ((1u << MEMPHIS_COUNTER_EVENT_FIRST) - 1);
	for (i = 0; i < events->count; i++) {
		memphis_pmc_events[i] = events->list[i];
		memphis_pmc_event_count = i + 1;
		if (!memphis_core_event_is_allowed(events->list[i].type, events->list[i].config, intel,
						   family)) {
			err = -EINVAL;
		} else if (by_module) {
			config->counters |= 1u << (MEMPHIS_COUNTER_EVENT_FIRST + i);
			config->counter_events[i] = events->list[i];
			err = memphis_backend->request(MEMPHIS_IOC_CONFIGURE, config);
		} else {
			err = memphis_pmc_test_events(sampling, sampling_count);
		}
		if (by_module && (err == -EACCES || err == -EPERM) && is_denied_without_counters(*config))
			return refuse_configuration(config, err, refusal);
		if (err)
			return refuse_counter(events->names[i], -err, refusal);
	}
	return 0;
}

/* Queries the properties of the hardware and configures it according to the settings. */
static int configure_backend(struct memphis_query *query, struct memphis_config *config,
			     struct memphis_refusal *refusal)
{
	const struct memphis_hardware *hardware;
	char text[160];
	__u64 drop = memphis_settings.drop;
	__u32 count;
	int err = query_backend(query, refusal);

	if (err)
		return err;
	hardware = memphis_hardware(query->hardware);
	count = memphis_settings.count == MEMPHIS_AUTO ? hardware->count : (__u32)memphis_settings.count;
	if (!(query->counts & 1u << count)) {
		snprintf(text, sizeof(text), "MEMPHIS_COUNT=%s is not offered by %s",
			 memphis_count_names[count], query->pmu);
		return set_refusal(refusal, text, 0,
				   "leave it out: what the hardware counts best is the default");
	}
	if (drop & ~(__u64)query->drops) {
		snprintf(text, sizeof(text), "MEMPHIS_FILTER asks for what %s does not offer", query->pmu);
		return set_refusal(refusal, text, 0, "leave it out");
	}
	memset(config, 0, sizeof(*config));
	err = choose_events(query, config, refusal);
	if (err)
		return err;
	config->count = count;
	config->drop = (__u32)drop;
	if (memphis_settings.min_latency != MEMPHIS_AUTO)
		config->min_latency_cycles = (__u32)memphis_settings.min_latency;
	else
		config->min_latency_cycles = config->events & BY_SOURCE ? 0 : hardware->min_latency;
	err = choose_hardware_filter(query, config, refusal);
	if (err)
		return err;
	config->period = fit_period(query, config->events);
	config->ring_records = fit_ring(query);
	config->wakeup_records = config->ring_records / 4 ? config->ring_records / 4 : 1;
	choose_stacks(query, config);
	err = choose_counters(query, config, refusal);
	if (err)
		return err;
	err = memphis_backend->request(MEMPHIS_IOC_CONFIGURE, config);
	return err ? refuse_configuration(config, err, refusal) : 0;
}

/*
 * Opens the device if possible, otherwise perf. The device is preferred because it costs less, and needs only
 * the rights that the site has granted.
 */
static int open_device_or_perf(pid_t process, struct memphis_refusal *refusal)
{
	char text[sizeof(refusal->remedy)], why[MEMPHIS_REMEDY_BYTES], why_perf[MEMPHIS_REMEDY_BYTES];
	int err, perf_err;

	if (memphis_settings.backend == MEMPHIS_BACKEND_NONE) {
		memphis_backend = &memphis_none;
		return 0;
	}
	memphis_backend = memphis_settings.backend == MEMPHIS_BACKEND_PERF ? &memphis_perf : &memphis_device;
	err = memphis_backend->open(process, why, sizeof(why));
	if (!err)
		return 0;
	if (memphis_backend == &memphis_perf)
		return set_refusal(refusal, "perf", -err, why);
	/* The library had opened the device, and the program has closed it since. This is no reason to sample with perf. */
	if (memphis_settings.backend == MEMPHIS_BACKEND_DEVICE || err == -EBADF)
		return set_refusal(refusal, memphis_settings.device, -err, why);
	perf_err = memphis_perf.open(process, why_perf, sizeof(why_perf));
	/* If the texts are equal, neither the device nor perf can sample this CPU. */
	if (perf_err && !strcmp(why, why_perf))
		return set_refusal(refusal, memphis_settings.device, -err, why);
	if (perf_err) {
		snprintf(text, sizeof(text), "%s; nor by perf: %s; %s", why, memphis_error_text(-perf_err),
			 why_perf);
		return set_refusal(refusal, memphis_settings.device, -err, text);
	}
	memphis_backend = &memphis_perf;
	if (memphis_settings.verbose)
		memphis_say("memphis: by perf: %s: %s; %s\n", memphis_settings.device,
			    memphis_error_text(-err), why);
	return 0;
}

int memphis_backend_open(pid_t process, struct memphis_query *query, struct memphis_config *config,
			 struct memphis_refusal *refusal)
{
	int err = open_device_or_perf(process, refusal);

	return err ? err : configure_backend(query, config, refusal);
}

int memphis_backend_query(struct memphis_query *query, struct memphis_refusal *refusal)
{
	int err = open_device_or_perf(0, refusal);

	return err ? err : query_backend(query, refusal);
}

void memphis_backend_forked(void)
{
	memphis_backend->forked();
	memphis_backend = &memphis_device;
}
