/* SPDX-License-Identifier: BSD-3-Clause */
/* The page around a report: page/page.html with style and scripts, which are linked into the tool. */
#ifndef MEMPHIS_PAGE_H
#define MEMPHIS_PAGE_H

#include "base/text.h"

/* Appends the whole page to `text`; `report` and `sources` are JSON. */
void memphis_page_put(struct memphis_text *text, const char *report, const char *sources);

#endif
