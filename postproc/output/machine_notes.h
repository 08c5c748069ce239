/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes of the report about the set-up of the recording machines. */
#ifndef MEMPHIS_MACHINE_NOTES_H
#define MEMPHIS_MACHINE_NOTES_H

#include "base/text.h"
#include "read/process.h"

/* Appends a line for each set-up that is worth a note; hosts with the same set-up share a line. */
void memphis_machine_notes(struct memphis_text *notes, const struct memphis_processes *processes);

#endif
