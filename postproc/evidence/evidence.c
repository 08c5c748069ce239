// SPDX-License-Identifier: BSD-3-Clause
/* Finds evidence in the heatmap of a variable and adds it to the profile. */
#include "evidence/evidence.h"

#include <errno.h>

#include "evidence/initialised.h"
#include "evidence/patterns.h"
#include "evidence/line_sharing.h"
#include "evidence/strided.h"

/* Minimum share of the pattern's samples for a region to be listed in the finding. */
#define REGION_SHARE 0.1

/*
 * Fills in the regions with the most samples of the pattern, which are either remote samples or samples that found the line modified in
 * another cache.
 */
static void find_regions(const struct memphis_heatmap *heatmap, bool remote, struct memphis_finding *finding)
{
	const struct memphis_heatmap_region *region, *end = heatmap->regions + heatmap->region_count;
	struct memphis_finding_region *kept = finding->regions;
	uint64_t sum = 0, count;
	size_t at;

	for (region = heatmap->regions; region < end; region++)
		sum += remote ? region->remote : region->hitm;
	for (region = heatmap->regions; region < end; region++) {
		count = remote ? region->remote : region->hitm;
		if (region->region <= MEMPHIS_REGION_UNKNOWN || (double)count < REGION_SHARE * (double)sum)
			continue;
		for (at = finding->region_count; at && kept[at - 1].share * (double)sum < (double)count; at--)
			if (at < MEMPHIS_FINDING_REGIONS)
				kept[at] = kept[at - 1];
		if (at == MEMPHIS_FINDING_REGIONS)
			continue;
		kept[at] = (struct memphis_finding_region){region->region, (double)count / (double)sum};
		finding->region_count += finding->region_count < MEMPHIS_FINDING_REGIONS;
	}
}

static int keep_finding(struct memphis_profile *profile, const struct memphis_heatmap *heatmap,
			const struct memphis_select_kind *kind, struct memphis_finding *finding)
{
	struct memphis_finding *kept;

	if (finding->samples < MEMPHIS_FINDING_SAMPLES)
		return 0;
	finding->one_in = heatmap->one_in ? heatmap->one_in : 1;
	finding->select = memphis_profile_string(profile, kind->name);
	kept = memphis_append(profile->evidence, profile->evidence_count, profile->evidence_room);
	if (!kept || finding->select == MEMPHIS_NONE)
		return -ENOMEM;
	*kept = *finding;
	return 0;
}

#define TAKES(mask, source) (!(mask) || (mask) >> MEMPHIS_SOURCE_##source & 1)

bool memphis_evidence_of_places(const struct memphis_select_kind *kind)
{
	const uint16_t caches = 1 << MEMPHIS_SOURCE_L1 | 1 << MEMPHIS_SOURCE_L2 | 1 << MEMPHIS_SOURCE_L3 |
				1 << MEMPHIS_SOURCE_PEER_CACHE;

	return kind->sources && !(kind->sources & caches);
}

int memphis_evidence_add(struct memphis_profile *profile, const struct memphis_heatmap *heatmap,
			 const struct memphis_select_kind *kind, bool stores)
{
	struct memphis_suspect suspect = {.profile = profile,
					  .heatmap = heatmap,
					  .process = &profile->processes.list[heatmap->process],
					  .stores = stores};
	struct memphis_finding finding;
	int rc = 0;

	if (memphis_evidence_of_places(kind)) {
		rc = memphis_placement_make(&suspect.placement, heatmap);
		if (!rc && memphis_find_pattern(&suspect, &finding)) {
			memphis_find_initialised(&suspect, &finding);
			find_regions(heatmap, true, &finding);
			rc = keep_finding(profile, heatmap, kind, &finding);
		}
		memphis_placement_close(&suspect.placement);
	}
	if (!rc && TAKES(kind->sources, PEER_CACHE)) {
		memphis_finding_begin(&suspect, &finding);
		if (memphis_find_sharing(heatmap, &finding)) {
			find_regions(heatmap, false, &finding);
			rc = keep_finding(profile, heatmap, kind, &finding);
		}
	}
	if (!rc) {
		memphis_finding_begin(&suspect, &finding);
		if (memphis_find_strided(heatmap, &finding))
			rc = keep_finding(profile, heatmap, kind, &finding);
	}
	return rc;
}
