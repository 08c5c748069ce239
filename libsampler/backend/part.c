/* SPDX-License-Identifier: BSD-3-Clause */
/* This CPU: why perf can't sample it. */
#include <cpuid.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/part.h"
#include "base/sys.h"
#include "base/text.h"
#include "decode/obstacle.h"
#include "decode/pmu_events.h"

#define DEVICES "/sys/bus/event_source/devices"

/*
 * The beginning of the file events/mem-loads of the core PMU in sysfs, on CPUs where this event is PEBS_CONFIG. On Atom cores the file
 * describes another event.
 */
#define LOAD_LATENCY "event=0xcd,umask=0x1,"

/* Bits of CPUID: AMD64 Architecture Programmer's Manual volume 3, appendix E; 1 ECX bit 31 is reserved for hypervisors. */
#define CPUID_HYPERVISOR (1u << 31)
#define CPUID_AMD_IBS    (1u << 10) /* 80000001H ECX */

static struct memphis_part part(void)
{
	unsigned int eax = 0, ebx, ecx = 0, edx, family;

	__get_cpuid(1, &eax, &ebx, &ecx, &edx);
	family = eax >> 8 & 0xf;
	return (struct memphis_part){
		/* The extended family counts only beyond 15, the extended model from 15 on and with 6. */
		.family = family == 0xf ? family + (eax >> 20 & 0xff) : family,
		.model = (eax >> 4 & 0xf) | (family == 0xf || family == 6 ? eax >> 12 & 0xf0 : 0),
		.guest = ecx & CPUID_HYPERVISOR,
	};
}

static void get_vendor(char vendor[13])
{
	unsigned int eax, words[3] = {0};

	__get_cpuid(0, &eax, &words[0], &words[2], &words[1]);
	memcpy(vendor, words, sizeof(words));
	vendor[sizeof(words)] = '\0';
}

/* Writes the brand string without the blanks around it; it may be padded. */
static void get_name(char name[49])
{
	unsigned int words[12] = {0}, i;
	char text[sizeof(words) + 1];
	const char *first;
	size_t length;

	for (i = 0; i < 3; i++)
		__get_cpuid(0x80000002 + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2],
			    &words[4 * i + 3]);
	memcpy(text, words, sizeof(words));
	text[sizeof(words)] = '\0';
	first = text + strspn(text, " ");
	length = strlen(first);
	while (length && first[length - 1] == ' ')
		length--;
	memcpy(name, first, length);
	name[length] = '\0';
}

bool memphis_part_has_load_latency(void)
{
	const struct memphis_part this = part();
	struct memphis_text text = {0};
	bool found = !memphis_text_read(&text, DEVICES "/" PEBS_NAME "/events/mem-loads") && text.used &&
		     !strncmp(text.data, LOAD_LATENCY, strlen(LOAD_LATENCY));

	memphis_text_free(&text);
	return found && !memphis_obstacle_is_regions(&this);
}

/* Returns the highest precision of perf's events. PEBS with the exact instruction is 2. */
static int max_precision(void)
{
	struct memphis_text text = {0};
	int number = memphis_text_read(&text, DEVICES "/" PEBS_NAME "/caps/max_precise") || !text.used
			     ? 0
			     : atoi(text.data);

	memphis_text_free(&text);
	return number;
}

static enum memphis_obstacle intel_obstacle(const struct memphis_part *this, int err)
{
	if (memphis_obstacle_is_regions(this))
		return MEMPHIS_OBSTACLE_REGIONS;
	if (!access(DEVICES "/cpu_core", F_OK) || !access(DEVICES "/cpu_atom", F_OK))
		return MEMPHIS_OBSTACLE_HYBRID;
	if (access(DEVICES "/" PEBS_NAME, F_OK))
		return MEMPHIS_OBSTACLE_PMU;
	if (max_precision() < 2)
		return MEMPHIS_OBSTACLE_PEBS;
	return err == ENODATA ? MEMPHIS_OBSTACLE_AUXILIARY : MEMPHIS_OBSTACLE_EVENT;
}

static enum memphis_obstacle find_obstacle(const char *vendor, const struct memphis_part *this, int err)
{
	unsigned int eax, ebx, ecx = 0, edx;

	if (!strcmp(vendor, "GenuineIntel"))
		return intel_obstacle(this, err);
	if (strcmp(vendor, "AuthenticAMD") && strcmp(vendor, "HygonGenuine"))
		return MEMPHIS_OBSTACLE_VENDOR;
	__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx);
	return ecx & CPUID_AMD_IBS ? MEMPHIS_OBSTACLE_IBS_PMU : MEMPHIS_OBSTACLE_IBS;
}

void memphis_part_refusal(int err, char *text, size_t bytes)
{
	const struct memphis_part this = part();
	const struct memphis_obstacle_text *why;
	char vendor[13], name[49];

	get_vendor(vendor);
	get_name(name);
	why = memphis_obstacle_text(&this, find_obstacle(vendor, &this, err));
	snprintf(text, bytes, "%s (%s, family %#x, model %#x) can't be sampled: %s; %s", name, vendor,
		 this.family, this.model, why->why, why->remedy);
}
