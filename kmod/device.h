/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /dev/memphis.
 */
#ifndef MEMPHIS_KMOD_DEVICE_H
#define MEMPHIS_KMOD_DEVICE_H

int memphis_device_register(void);
void memphis_device_unregister(void);

#endif
