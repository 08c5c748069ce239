/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Findings: patterns of placement and use of variables, with sampled evidence and advice. The evidence of a process is collected when
 * its samples are reduced, and is kept in the profile; a report combines the evidence of all processes. The findings do not depend on the kind of
 * samples that the report selects, but their gains do. A finding contains all variables that the same change would fix (causes.h).
 *
 * A finding needs
 * - MEMPHIS_FINDING_SAMPLES samples of its pattern in all of its variables, and in all processes, that have memphis_finding_least() of it or more;
 * - with 95 % confidence, MEMPHIS_FINDING_SHARE of the samples of its population, so that a fix could be noticed;
 * - with the same confidence, 1 in 10000 of all samples: at 200 cycles for an access to remote memory, that is 2 % of the time of a program
 *   that makes an access per cycle; a program with fewer remote accesses has no findings;
 * - and that half of the variable's relevant samples follow the pattern.
 */
#ifndef MEMPHIS_DIAGNOSIS_H
#define MEMPHIS_DIAGNOSIS_H

#include "profile/finding.h"
#include "view/rows.h"

#define MEMPHIS_FINDING_OF_ALL 0.0001

struct memphis_findings {
	/* sorted by the cycles that a fix could save, or else by samples; largest first */
	struct memphis_finding *list;
	size_t count;
	struct memphis_finding *parts, *strides; /* of the findings in the list */
	uint32_t *of;    /* by element of profile->evidence: index of its finding, or MEMPHIS_NONE */
	uint32_t *exact; /* by variable: the exact variable whose estimated samples it has, or itself */
};

/* Combines the evidence of all processes for the selection of the rows. Returns 0 or -ENOMEM; close the findings in either case. */
int memphis_diagnose(struct memphis_findings *findings, const struct memphis_rows *rows);
void memphis_findings_close(struct memphis_findings *findings);

#endif
