# SPDX-License-Identifier: BSD-3-Clause
# The parts of machine/run: archive (what the guest finds), emulator (command line), guestlog (what its kernel
# said), session (one run).
