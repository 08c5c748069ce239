# SPDX-License-Identifier: BSD-3-Clause
# The index of the house: `make help`. Quiet by default; V=1 shows every command.

ifneq ($(V),1)
MAKEFLAGS += --no-print-directory -s
Q := @
endif

SHELL := /bin/bash
BUILD := $(CURDIR)/build
KERNELS := $(shell machine/kernel --list)
MODULES := $(KERNELS:%=$(BUILD)/kmod/%/memphis.ko)
KMOD_SOURCES := $(wildcard kmod/*.[ch] kmod/*/*.[ch] kmod/Makefile kmod/Kbuild include/memphis/*.h)

.PHONY: all help packages lib tool examples kmod machine demo test test-fresh test-kernels bench-sampling bench-alloc bench-caliper bench-halo bench-file bench-merge bench-node bench-report bench-symbols bench-tables bench-traffic fuzz-device fuzz-tool check format clean distclean
.DEFAULT_GOAL := all

all: lib tool examples

help:
	@echo 'What a newcomer wants:'
	@echo '  make demo      the case study from nothing to its three reports, on the emulated machine'
	@echo '  make test      all set-up that the tests need, then all tests'
	@echo
	@echo 'Parts (results in build/):'
	@echo '  make           library, tool and examples'
	@echo '  make lib       libmemphis.so, libmemphis.a, Fortran module'
	@echo '  make tool      the post-processor, build/bin/memphis'
	@echo '  make examples  examples/cice_halo, examples/traffic'
	@echo '  make kmod      memphis.ko for the emulated machine, kernels $(KERNELS)'
	@echo '  make -C kmod   memphis.ko for the running kernel (needs its headers)'
	@echo '  make machine   QEMU with the emulated sampling hardware, and its guests'
	@echo '  make packages  says which packages are needed, and installs them'
	@echo
	@echo 'Installing (docs/installing.md; each has its un-... that takes it back):'
	@echo '  make install         library, headers, tool, man pages; prefix=/usr/local DESTDIR='
	@echo '  make install-module  memphis.ko for the running kernel, and who may use it'
	@echo '  make install-dkms    the same by DKMS, for each kernel that comes'
	@echo '  make install-slurm   the node with the module under Slurm (docs/slurm.md)'
	@echo '  make install-moab    the same under Moab with Torque (docs/moab.md)'
	@echo '  make sign            signs memphis.ko for Secure Boot; KEY=FILE CERT=FILE'
	@echo '  make deb             Debian packages, in build/deb/'
	@echo
	@echo 'For developers:'
	@echo '  make test-fresh    set-up and the tests that need no machine, on a Debian without any package of ours'
	@echo '  make test-kernels  the device, its hostile users and the library on every kernel and CPU that the tests know'
	@echo '  make bench-sampling   what a sample costs beside perf, in instructions (docs/performance.md)'
	@echo '  make bench-alloc      what tracking an allocation costs beside heaptrack, on this machine'
	@echo '  make bench-caliper    what a pair of calipers costs'
	@echo '  make bench-halo       what the library costs the case study without sampling hardware'
	@echo '  make bench-file       what a sample takes on disk (emulated machine)'
	@echo '  make bench-merge      how long 1,000 profiles take to be merged, and how much memory'
	@echo '  make bench-node       how long memphis node --measure takes (emulated machine)'
	@echo '  make bench-report     how fast a report reads samples, beside cat and perf'
	@echo '  make bench-traffic    how right estimated memory traffic is, beside exact counts and closed forms (emulated machine)'
	@echo '  make bench-symbols    how fast instructions are named, beside llvm-symbolizer and eu-addr2line'
	@echo '  make bench-tables     CPU time per operation of the tool'\''s hot hash tables, beside uthash'
	@echo '  make test-install  the Debian packages on fresh systems of Debian 12 and 13'
	@echo '  make check     shellcheck, clang-format, SPDX lines, generated text'
	@echo '  make fuzz-device MINUTES=60 SEED=1   fuzzes the device on a debug kernel (docs/fuzzing.md)'
	@echo '  make fuzz-tool SECONDS=600           fuzzes all that the tool reads'
	@echo '  make format    let clang-format decide about white space'
	@echo '  make clean     removes build/;  make distclean also the cache of machines'
	@echo
	@echo 'Settings: V=1 (show commands), MEMPHIS_CACHE=DIR (built machines; now'
	@echo '          $(or $(MEMPHIS_CACHE),$(or $(XDG_CACHE_HOME),~/.cache)/memphis))'

include packaging/install.mk

packages:
	$(Q)tests/packages

# The sub-makefiles know their own dependencies; they are always asked.
lib: packages
	$(Q)$(MAKE) -C libsampler BUILD=$(BUILD)

tool: packages
	$(Q)$(MAKE) -C postproc BUILD=$(BUILD)

examples: lib
	$(Q)$(MAKE) -C examples/cice_halo BUILD=$(BUILD)
	$(Q)$(MAKE) -C examples/traffic BUILD=$(BUILD)

machine: packages
	$(Q)machine/setup

kmod: machine
	$(Q)$(MAKE) $(MODULES)

$(BUILD)/kmod/%/memphis.ko: $(KMOD_SOURCES)
	$(Q)echo "  KMOD    memphis.ko for $*"
	$(Q)machine/kbuild $* kmod $(@D)

demo:
	$(Q)examples/cice_halo/demo

test:
	$(Q)tests/run

# What the tests of a change leave out for their time's sake.
test-fresh: packages
	$(Q)tests/fresh

test-kernels:
	$(Q)tests/run vm/module kernels

bench-sampling: machine
	$(Q)tests/bench/sampling/sampling

bench-alloc bench-caliper bench-halo bench-file bench-merge bench-node: bench-%: packages
	$(Q)tests/bench/*/$*

# The exact counts are those of the emulated machine.
bench-traffic: machine
	$(Q)MACHINE=skylake examples/traffic/sweep

bench-report bench-symbols bench-tables: bench-%: packages
	$(Q)tests/bench/report/$*-speed

check: packages
	$(Q)bats tests/house

MINUTES ?= 60
SEED ?= 1
fuzz-device: machine
	$(Q)tests/fuzz/device/run $(MINUTES) $(SEED)

SECONDS ?= 600
fuzz-tool: packages
	$(Q)tests/fuzz/run $(SECONDS)

format:
	$(Q)git ls-files '*.c' '*.h' '*.hpp' '*.cpp' | xargs clang-format -i

clean:
	rm -rf build

distclean: clean
	rm -rf "$${MEMPHIS_CACHE:-$${XDG_CACHE_HOME:-$$HOME/.cache}/memphis}"
