/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes findings, which are patterns of how variables are placed and used, with sampled evidence and advice. The
 * evidence of each process is collected when its samples are reduced, and is stored in the profile. A report combines
 * the evidence of all processes. The findings do not depend on the kind of samples that the report selects, but their
 * gains do. A finding contains all variables that the same change would fix (causes.h).
 *
 * These conditions must hold for a finding:
 * - All its variables and processes together have at least MEMPHIS_FINDING_SAMPLES samples of the pattern. A variable
 *   in a process counts only if it has at least memphis_finding_least() samples of it.
 * - With 95 % confidence, these are at least the share MEMPHIS_FINDING_SHARE of the samples of its population. A fix
 *   would otherwise not be noticed.
 * - With 95 % confidence, these are at least 1 in 10000 of all samples. At 200 cycles for a remote access, this is 2 %
 *   of the time of a program that makes one access per cycle. A program with fewer remote accesses has no findings.
 * - Half of the variable's samples that matter for the pattern follow it.
 */
#ifndef MEMPHIS_DIAGNOSIS_H
#define MEMPHIS_DIAGNOSIS_H

#include "profile/finding.h"
#include "view/rows.h"

#define MEMPHIS_FINDING_OF_ALL 0.0001

struct memphis_findings {
	/* sorted by the cycles that a fix could save, then by samples; largest first */
	struct memphis_finding *list;
	size_t count;
	/* memory for the parts and the strides of the findings in the list */
	struct memphis_finding *parts, *strides;
	/* by element of profile->evidence: index of its finding in the list, or MEMPHIS_NONE */
	uint32_t *of;
	uint32_t *exact; /* by variable: its exact counterpart if it is estimated, or itself */
};

/*
 * Makes the findings from the evidence of all processes, for the selection of the rows. Returns 0 or -ENOMEM. The
 * caller must close the findings in both cases.
 */
int memphis_diagnose(struct memphis_findings *findings, const struct memphis_rows *rows);
void memphis_findings_close(struct memphis_findings *findings);

#endif
