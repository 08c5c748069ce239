// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Table of Intel's models. Families, models and names are those of Linux (arch/x86/include/asm/intel-family.h); docs/hardware.md
 * lists the CPUs that can be sampled.
 */
#include "decode/model.h"

#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <string.h>
#endif

#define ANY    (-1) /* all models of the family */
#define SERVER (MEMPHIS_TRAIT_BY_SOURCE | MEMPHIS_TRAIT_SPLIT_LATENCY)

static const struct model {
	__u8 family;
	__s16 model;
	__u16 traits;
} models[] = {
	{6, 0x0e, MEMPHIS_TRAIT_OLD}, /* Yonah */
	{6, 0x0f, MEMPHIS_TRAIT_OLD}, /* Merom */
	{6, 0x16, MEMPHIS_TRAIT_OLD}, /* Merom-L */
	{6, 0x17, MEMPHIS_TRAIT_OLD}, /* Penryn */
	{6, 0x1d, MEMPHIS_TRAIT_OLD}, /* Dunnington */
	{6, 0x1e, MEMPHIS_TRAIT_OLD}, /* Nehalem */
	{6, 0x1f, MEMPHIS_TRAIT_OLD}, /* Nehalem-G */
	{6, 0x1a, MEMPHIS_TRAIT_OLD}, /* Nehalem-EP */
	{6, 0x2e, MEMPHIS_TRAIT_OLD}, /* Nehalem-EX */
	{6, 0x25, MEMPHIS_TRAIT_OLD}, /* Westmere */
	{6, 0x2c, MEMPHIS_TRAIT_OLD}, /* Westmere-EP */
	{6, 0x2f, MEMPHIS_TRAIT_OLD}, /* Westmere-EX */

	{6, 0x55, MEMPHIS_TRAIT_BY_SOURCE}, /* Skylake-SP, Cascade Lake, Cooper Lake */
	{6, 0x6a, MEMPHIS_TRAIT_BY_SOURCE}, /* Ice Lake-SP */
	{6, 0x6c, MEMPHIS_TRAIT_BY_SOURCE}, /* Ice Lake-D */
	{6, 0x8f, SERVER | MEMPHIS_TRAIT_SAPPHIRE_RAPIDS},
	{6, 0xcf, SERVER | MEMPHIS_TRAIT_EMERALD_RAPIDS},
	{6, 0xad, SERVER | MEMPHIS_TRAIT_GRANITE_RAPIDS}, /* Granite Rapids */
	{6, 0xae, SERVER | MEMPHIS_TRAIT_GRANITE_RAPIDS}, /* Granite Rapids-D */
	{0x13, ANY, MEMPHIS_TRAIT_REGIONS},               /* Diamond Rapids */

	{6, 0x1c, MEMPHIS_TRAIT_ATOM}, /* Bonnell: Pineview */
	{6, 0x26, MEMPHIS_TRAIT_ATOM}, /* Bonnell: Lincroft */
	{6, 0x36, MEMPHIS_TRAIT_ATOM}, /* Saltwell: Cedarview */
	{6, 0x27, MEMPHIS_TRAIT_ATOM}, /* Saltwell: Penwell */
	{6, 0x35, MEMPHIS_TRAIT_ATOM}, /* Saltwell: Cloverview */
	{6, 0x37, MEMPHIS_TRAIT_ATOM}, /* Silvermont: Bay Trail */
	{6, 0x4d, MEMPHIS_TRAIT_ATOM}, /* Silvermont: Avoton */
	{6, 0x4a, MEMPHIS_TRAIT_ATOM}, /* Silvermont: Merrifield */
	{6, 0x4c, MEMPHIS_TRAIT_ATOM}, /* Airmont: Cherry Trail */
	{6, 0x5a, MEMPHIS_TRAIT_ATOM}, /* Silvermont: Moorefield */
	{6, 0x75, MEMPHIS_TRAIT_ATOM}, /* Airmont: Lightning Mountain */
	{6, 0x5c, MEMPHIS_TRAIT_ATOM}, /* Goldmont: Apollo Lake */
	{6, 0x5f, MEMPHIS_TRAIT_ATOM}, /* Goldmont: Denverton */
	{6, 0x7a, MEMPHIS_TRAIT_ATOM}, /* Goldmont Plus: Gemini Lake */
	{6, 0x86, MEMPHIS_TRAIT_ATOM}, /* Tremont: Snow Ridge */
	{6, 0x96, MEMPHIS_TRAIT_ATOM}, /* Tremont: Elkhart Lake */
	{6, 0x9c, MEMPHIS_TRAIT_ATOM}, /* Tremont: Jasper Lake */
	{6, 0x57, MEMPHIS_TRAIT_ATOM}, /* Xeon Phi: Knights Landing */
	{6, 0x85, MEMPHIS_TRAIT_ATOM}, /* Xeon Phi: Knights Mill */

	{6, 0xaf, MEMPHIS_TRAIT_GRACEMONT}, /* Sierra Forest */
	{6, 0xb6, MEMPHIS_TRAIT_GRACEMONT}, /* Grand Ridge */
	{6, 0xbe, MEMPHIS_TRAIT_GRACEMONT}, /* Alder Lake-N */
	{6, 0xdd, MEMPHIS_TRAIT_GRACEMONT}, /* Clearwater Forest */
};

enum memphis_vendor memphis_vendor(const char *identification)
{
	if (!strcmp(identification, "GenuineIntel"))
		return MEMPHIS_VENDOR_INTEL;
	if (!strcmp(identification, "AuthenticAMD") || !strcmp(identification, "HygonGenuine"))
		return MEMPHIS_VENDOR_AMD;
	return MEMPHIS_VENDOR_OTHER;
}

unsigned int memphis_model_traits(const struct memphis_cpu_part *part)
{
	unsigned int i;

	for (i = 0; i < sizeof(models) / sizeof(*models); i++)
		if (models[i].family == part->family &&
		    (models[i].model == ANY || (unsigned int)models[i].model == part->model))
			return models[i].traits;
	return 0;
}
