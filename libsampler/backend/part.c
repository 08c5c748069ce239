/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the model of this CPU, and the reason why it can't be sampled. */
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
 * The beginning of the file events/mem-loads of the core PMU in sysfs, on CPUs where this event is
 * PEBS_CONFIG. On Atom cores, the file describes another event.
 */
#define LOAD_LATENCY "event=0xcd,umask=0x1,"

/* Length of a vendor's identification string. */
#define VENDOR_BYTES 12

/* Bits of CPUID: AMD64 Architecture Programmer's Manual volume 3, appendix E. Bit 31 of ECX of leaf 1 is reserved for hypervisors. */
#define CPUID_HYPERVISOR (1u << 31)
#define CPUID_AMD_IBS    (1u << 10) /* 80000001H ECX */

struct memphis_cpu_part memphis_part(void)
{
	unsigned int eax = 0, ebx, ecx = 0, edx, family;

	__get_cpuid(1, &eax, &ebx, &ecx, &edx);
	family = eax >> 8 & 0xf;
	return (struct memphis_cpu_part){
		/*
		 * The extended family is added only if the family is 15. The extended model is used only if
		 * the family is 15 or 6.
		 */
		.family = family == 0xf ? family + (eax >> 20 & 0xff) : family,
		.model = (eax >> 4 & 0xf) | (family == 0xf || family == 6 ? eax >> 12 & 0xf0 : 0),
		.guest = ecx & CPUID_HYPERVISOR,
	};
}

static void get_vendor(char vendor[VENDOR_BYTES + 1])
{
	unsigned int eax, words[3] = {0};

	__get_cpuid(0, &eax, &words[0], &words[2], &words[1]);
	memcpy(vendor, words, sizeof(words));
	vendor[sizeof(words)] = '\0';
}

/* Writes the brand string. Removes the blanks around it, because it may be padded. */
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

/* Returns true if perf's event mem-loads samples load latency. */
static bool lists_load_latency(void)
{
	struct memphis_text_buffer text = {0};
	bool found = !memphis_text_read(&text, DEVICES "/" PEBS_NAME "/events/mem-loads") && text.used &&
		     !strncmp(text.data, LOAD_LATENCY, strlen(LOAD_LATENCY));

	memphis_text_free(&text);
	return found;
}

bool memphis_part_has_load_latency(void)
{
	const struct memphis_cpu_part part = memphis_part();

	return lists_load_latency() && !(memphis_model_traits(&part) & MEMPHIS_TRAIT_REGIONS);
}

/* Returns the highest precision (precise_ip) of perf's events. PEBS that reports the exact instruction has precision 2. */
static int max_precision(void)
{
	struct memphis_text_buffer text = {0};
	int number = memphis_text_read(&text, DEVICES "/" PEBS_NAME "/caps/max_precise") || !text.used
			     ? 0
			     : atoi(text.data);

	memphis_text_free(&text);
	return number;
}

/* Fills in what CPUID and perf's files show. */
static void read_signs(struct memphis_signs *signs, const char *vendor)
{
	unsigned int eax, ebx, ecx = 0, edx;

	__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx);
	*signs = (struct memphis_signs){
		.vendor = memphis_vendor(vendor),
		.part = memphis_part(),
		.has_ibs_pmu = !access(DEVICES "/" IBS_NAME "/type", F_OK),
		.has_core_pmu = !access(DEVICES "/" PEBS_NAME, F_OK),
		.is_hybrid = !access(DEVICES "/cpu_core", F_OK) || !access(DEVICES "/cpu_atom", F_OK),
		.has_pebs = max_precision() >= 2,
		.has_load_latency = lists_load_latency(),
		.needs_auxiliary = !access(DEVICES "/" PEBS_NAME "/events/mem-loads-aux", F_OK),
	};
	signs->has_ibs = signs->vendor == MEMPHIS_VENDOR_AMD && ecx & CPUID_AMD_IBS;
	signs->has_by_source =
		signs->has_load_latency && memphis_model_traits(&signs->part) & MEMPHIS_TRAIT_BY_SOURCE;
}

static void write_refusal(const struct memphis_signs *signs, const char *vendor, char *text, size_t bytes)
{
	const struct memphis_obstacle_text *why =
		memphis_obstacle_text(&signs->part, memphis_obstacle_find(signs));
	char name[49];

	get_name(name);
	snprintf(text, bytes, MEMPHIS_OBSTACLE_SENTENCE, name, vendor, signs->part.family, signs->part.model,
		 why->why, why->remedy);
}

void memphis_part_refusal(int err, char *text, size_t bytes)
{
	char vendor[VENDOR_BYTES + 1];
	struct memphis_signs signs;

	get_vendor(vendor);
	read_signs(&signs, vendor);
	/* If perf has returned an error, this error decides, and not the list in perf's files. */
	if (err) {
		signs.has_ibs_pmu = signs.has_load_latency = signs.has_by_source = false;
		signs.needs_auxiliary = err == ENODATA;
	}
	write_refusal(&signs, vendor, text, bytes);
}

bool memphis_part_module_refuses(char *text, size_t bytes)
{
	char vendor[VENDOR_BYTES + 1];
	struct memphis_signs signs;

	get_vendor(vendor);
	read_signs(&signs, vendor);
	if (access(DEVICES, F_OK) || memphis_obstacle_find(&signs) == MEMPHIS_OBSTACLE_NONE)
		return false;
	write_refusal(&signs, vendor, text, bytes);
	return true;
}
