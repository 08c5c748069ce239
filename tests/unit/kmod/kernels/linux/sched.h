/* SPDX-License-Identifier: GPL-2.0-only */
/* In place of the kernel's header: what compat.h needs of it. */
#ifndef MOCK_SCHED_H
#define MOCK_SCHED_H

#define TASK_DEAD    0x80
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))

struct task_struct {
	unsigned int state;
};

#endif
