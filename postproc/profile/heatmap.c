// SPDX-License-Identifier: BSD-3-Clause
/* Releases a heatmap. */
#include "profile/heatmap.h"

#include <stdlib.h>
#include <string.h>

void memphis_heatmap_close(struct memphis_heatmap *heatmap)
{
	free(heatmap->spots);
	free(heatmap->uses);
	free(heatmap->fields);
	free(heatmap->words);
	free(heatmap->regions);
	free(heatmap->stores);
	free(heatmap->parts);
	memset(heatmap, 0, sizeof(*heatmap));
}
