/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registration of the character device /dev/memphis.
 */
#ifndef MEMPHIS_KMOD_DEVICE_H
#define MEMPHIS_KMOD_DEVICE_H

/**
 * memphis_device_register() - registers the device; requests may arrive before this function returns
 *
 * Return: 0 or a negative errno.
 */
int memphis_device_register(void);

/**
 * memphis_device_unregister() - removes the device; the caller ensures that the device is not open
 */
void memphis_device_unregister(void);

#endif
