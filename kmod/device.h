/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /dev/memphis.
 */
#ifndef MEMPHIS_KMOD_DEVICE_H
#define MEMPHIS_KMOD_DEVICE_H

/**
 * memphis_device_register() - makes the device; from here on requests come
 *
 * Return: 0 or a negative errno.
 */
int memphis_device_register(void);

/**
 * memphis_device_unregister() - takes the device away; no file of it is open
 */
void memphis_device_unregister(void);

#endif
