/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a pass of the drain can be asked to do. Even without a request, the drain makes a pass over rings and
 * events at each interval.
 */
#ifndef MEMPHIS_PASS_H
#define MEMPHIS_PASS_H

#define MEMPHIS_DRAIN_INTERVAL_MS 50

#define MEMPHIS_DRAIN_NOW      0x1
#define MEMPHIS_DRAIN_HOLDERS  0x2  /* search static memory for pointers to blocks */
#define MEMPHIS_DRAIN_SETTINGS 0x4  /* write the settings that change while sampling */
#define MEMPHIS_DRAIN_CLOSE    0x8  /* last pass: finish all files, end the drain */
#define MEMPHIS_DRAIN_ABANDON  0x10 /* end the drain, write nothing */
#define MEMPHIS_DRAIN_EXEC     0x20 /* record that the process executes another program */
#define MEMPHIS_DRAIN_FILES    0x40 /* write the data that is held in memory for threads to files */

#endif
