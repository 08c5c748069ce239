/* SPDX-License-Identifier: BSD-3-Clause */
/* memphis --version */
#ifndef MEMPHIS_CMD_VERSION_H
#define MEMPHIS_CMD_VERSION_H

void memphis_version_print(void);

#endif
