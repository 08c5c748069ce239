/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a proposal as text, with the settings of OpenMP and launchers that apply it, or as JSON. */
#ifndef MEMPHIS_PROPOSAL_TEXT_H
#define MEMPHIS_PROPOSAL_TEXT_H

#include "base/json.h"
#include "place/proposal.h"

void memphis_proposal_text(struct memphis_text *text, const struct memphis_proposal *proposal,
			   const struct memphis_profile *profile);
void memphis_proposal_json(struct memphis_json *json, const struct memphis_proposal *proposal,
			   const struct memphis_profile *profile);

#endif
