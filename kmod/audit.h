/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines in the kernel's log for sites that record who uses the device; none without the parameter audit.
 */
#ifndef MEMPHIS_AUDIT_H
#define MEMPHIS_AUDIT_H

struct task_struct;

/**
 * memphis_audit_open() - current has opened the device.
 *
 * Context: process context.
 */
void memphis_audit_open(void);

/**
 * memphis_audit_attach() - current has attached a thread of another process.
 * @task: the thread; the caller holds a reference
 *
 * Context: process context.
 */
void memphis_audit_attach(struct task_struct *task);

#endif
