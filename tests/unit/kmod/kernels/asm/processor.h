/* SPDX-License-Identifier: GPL-2.0-only */
/* In place of the kernel's header, of which compat.h needs nothing here. */
