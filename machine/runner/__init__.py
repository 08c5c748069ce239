# SPDX-License-Identifier: BSD-3-Clause
# The parts of machine/run: archive and base (the guest's files), emulator (QEMU's command line), session (one run),
# monitor (queries to QEMU), guestlog (the guest's kernel log).
