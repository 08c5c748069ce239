/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes audit messages to the kernel log, for sites that record who uses the device. The messages are off
 * unless the module parameter `audit` is set. The number of lines per user and minute is limited.
 */
#ifndef MEMPHIS_AUDIT_H
#define MEMPHIS_AUDIT_H

struct task_struct;

/**
 * memphis_audit_open() - logs that the current process has opened the device
 *
 * Context: process context.
 */
void memphis_audit_open(void);

/**
 * memphis_audit_attach() - logs that the current process has attached a thread of another process
 * @task: the thread; the caller holds a reference
 *
 * Context: process context.
 */
void memphis_audit_attach(struct task_struct *task);

/**
 * memphis_audit_exit() - logs how many lines were left out since the last such message
 *
 * Context: process context, once no other function of this file is called any more.
 */
void memphis_audit_exit(void);

#endif
