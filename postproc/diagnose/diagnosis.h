/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is wrong with the leading variables, and what to try: patterns of placement and use, told by sampled evidence. The evidence of a process
 * is found when its samples are reduced, and stays in the profile; a report puts together what the processes have.
 *
 * Silence is an answer, too. A finding needs
 * - MEMPHIS_FINDING_SAMPLES samples of its pattern: of 20, a majority of three quarters is surely (95 %) one of more than a half;
 * - with 95 % confidence, 2 of 100 of the samples selected, so that mending it could be noticed;
 * - likewise 1 of 10000 of all samples: at some 200 cycles each, as memory of another node takes, 2 % of the time of a program that makes an
 *   access in each cycle; one that hardly ever leaves its node is not blamed for the few times when it does;
 * - and half of the variable's samples in question that follow the pattern.
 * Placement (where pages are) is judged when the selection takes loads from memory; sharing of cache lines when it takes those from other caches.
 */
#ifndef MEMPHIS_DIAGNOSIS_H
#define MEMPHIS_DIAGNOSIS_H

#include "profile/finding.h"
#include "view/rows.h"

#define MEMPHIS_FINDING_SHARE  0.02
#define MEMPHIS_FINDING_OF_ALL 0.0001

struct memphis_findings {
	struct memphis_finding *list; /* the worst first */
	size_t count, room;
};

/* Puts the evidence of all processes together that was found among the samples that the rows select. 0 or -ENOMEM. Close it in either case. */
int memphis_diagnose(struct memphis_findings *findings, const struct memphis_rows *rows);
void memphis_findings_close(struct memphis_findings *findings);

/* Fills in sentence and advice. 0 or -ENOMEM. */
int memphis_finding_word(struct memphis_finding *finding, const struct memphis_profile *profile);

/* Appends what of the sentence follows the variable, without numbers of samples: " lies on node 0, and is used by ...". */
void memphis_finding_describe(const struct memphis_finding *finding, const struct memphis_profile *profile,
			      struct memphis_text *text);

/* Appends the place with most samples, if one is known: " at model.c:44 (step)", " in memset (libc.so.6)". */
void memphis_finding_locate(const struct memphis_finding *finding, const struct memphis_profile *profile,
			    struct memphis_text *text);

#endif
