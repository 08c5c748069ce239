# SPDX-License-Identifier: BSD-3-Clause
# Entry point of all builds and tests; `make help` lists the goals. Quiet by default; V=1 shows every command.

ifneq ($(V),1)
MAKEFLAGS += --no-print-directory -s
Q := @
endif

SHELL := /bin/bash
ifneq ($(word 2,$(CURDIR)),)
$(error memphis: the path of this directory has blanks, which make cannot handle; move it: $(CURDIR))
endif
BUILD := $(CURDIR)/build
# Each part runs in its own directory, where a relative path would be another one.
override BUILD := $(abspath $(BUILD))
# The compiler of the Fortran interface, whatever the environment has; packaging/packages looks for it.
FC := gfortran
# 1, and no other value: warnings are errors, for development.
WERROR ?=
export FC WERROR
include packaging/options.mk
KERNELS := $(shell machine/kernel --list)
MODULES := $(KERNELS:%=$(BUILD)/kmod/%/memphis.ko)
KMOD_SOURCES := $(wildcard kmod/*.[ch] kmod/*/*.[ch] kmod/Makefile kmod/Kbuild include/memphis/*.h)

.PHONY: all help packages required lib tool examples kmod machine demo test test-more test-all test-fresh test-kernels bench-sampling bench-advice bench-alloc bench-caliper bench-demo bench-events bench-guard bench-halo bench-file bench-io bench-job bench-machine bench-merge bench-mpi bench-names bench-node bench-program bench-report bench-symbols bench-tables bench-test bench-traffic check-kmod fuzz-device fuzz-tool mutations pictures check site format clean distclean
.DEFAULT_GOAL := all

all: lib tool examples

help:
	@echo 'Getting started:'
	@echo '  make demo      the complete case study with its three reports, on the emulated machine'
	@echo '  make test      all set-up for the tests, then each statement of the project once'
	@echo
	@echo 'Parts (results in build/):'
	@echo '  make           library, tool and examples'
	@echo '  make lib       libmemphis.so, libmemphis.a, Fortran module'
	@echo '  make tool      the post-processor, build/bin/memphis'
	@echo '  make examples  examples/cice_halo, examples/traffic, examples/fft3d'
	@echo '  make kmod      memphis.ko for the emulated machine, kernels $(KERNELS)'
	@echo '  make -C kmod   memphis.ko for the running kernel (needs its headers)'
	@echo '  make machine   QEMU with the emulated sampling hardware, and its guests'
	@echo '  make packages GROUP=NAME   installs a group of packages (packaging/packages --help lists them; default: all)'
	@echo
	@echo 'Options: NAME=yes (an error without its package), NAME=no, or NAME=auto, the default (with the package, if it is there):'
	@packaging/packages --options
	@echo
	@echo 'Installing (docs/installing.md; make uninstall, uninstall-module, ... reverse each step):'
	@echo '  make install         library, headers, tool, man pages; prefix=/usr/local DESTDIR='
	@echo '  make install-module  memphis.ko for the running kernel, and its access policy'
	@echo '  make install-dkms    the same with DKMS, which also builds it for later kernels'
	@echo '  make install-slurm   scripts for a node with the module under Slurm (docs/slurm.md)'
	@echo '  make install-moab    scripts for such a node under Moab with Torque (docs/moab.md)'
	@echo '  make sign            signs memphis.ko for Secure Boot; KEY=FILE CERT=FILE'
	@echo '  make dist            memphis-VERSION.tar.gz, the sources with the manual as text, in build/dist/'
	@echo '  make wheel           the Python interface for pip, in build/dist/; PYTHON=python3'
	@echo '  make rpm             packages for Fedora, RHEL and SUSE, in build/rpm/; RPM=OPTIONS of rpmbuild'
	@echo '  make deb             Debian packages, in build/deb/'
	@echo
	@echo 'For developers:'
	@echo '  make test-more     the tests that make test leaves out (docs/testing.md has the reasons)'
	@echo '  make test-all      all tests: also fresh systems, all kernels and CPUs at full length, cost of a sample (hours)'
	@echo '  make test-fresh    set-up and the tests that need no machine, on a Debian without the required packages'
	@echo '  make test-kernels  suites of the machine on further kernels and CPUs, at full length (tests/machines)'
	@echo '  make bench-sampling   instructions per sample, compared with perf (docs/performance.md)'
	@echo '  make bench-advice     how many findings are right, and how many planted causes are found (tests/corpus/advice)'
	@echo '  make bench-alloc      cost of tracking an allocation, compared with heaptrack, on this machine'
	@echo '  make bench-caliper    cost of a caliper'
	@echo '  make bench-demo       duration of make demo on a minimal Debian: nothing prepared, then with everything built'
	@echo '  make bench-events     interrupts for a sample of remote memory, by kind of sampling (emulated machine)'
	@echo '  make bench-guard      instructions and bytes of a sample, a caliper, an allocation, a start, compared with tests/bench/guard/limits'
	@echo '  make bench-halo       overhead in the case study: in CPU time without sampling hardware, and in instructions with samples (emulated machine)'
	@echo '  make bench-file       bytes per sample on disk (emulated machine)'
	@echo '  make bench-io         cost of a call of pwrite() and of fwrite() with the I/O layer'
	@echo '  make bench-mpi        cost of short MPI calls with the MPI layer'
	@echo '  make bench-job        time and memory to merge the profiles of 100,000 simulated ranks, and the page of the result'
	@echo '  make bench-machine    speed of the emulated machine while it samples, compared with an earlier revision'
	@echo '  make bench-merge      time and memory to merge 1,000 profiles'
	@echo '  make bench-names      how many variables of the programs of tests/corpus/names reports name right, by language and compiler'
	@echo '  make bench-node       duration of memphis node --measure (emulated machine)'
	@echo '  make pictures         those of the documentation, from the page of the case study'
	@echo '  make bench-program    what recording costs a program: stdio, shared pointers, system calls, threads, processes, address space'
	@echo '  make bench-report     speed of a report in reading samples, compared with cat and perf'
	@echo '  make bench-test       duration of make test in a fresh clone, with the machines prepared, and with make test-more after it; ROUNDS=1'
	@echo '  make bench-traffic    memory traffic, exact and estimated, against closed forms, with charts (emulated machine)'
	@echo '  make bench-symbols    speed of symbolizing instructions, compared with llvm-symbolizer and eu-addr2line'
	@echo '  make bench-tables     CPU time per operation of the tool'\''s hot hash tables, compared with uthash'
	@echo '  make test-install  the Debian packages on fresh systems of Debian 12 and 13'
	@echo '  make check     shellcheck, clang-format, SPDX lines, generated text'
	@echo '  make check-kmod    warnings of compiler and sparse, and checkpatch.pl of the debug kernel, which it builds'
	@echo '  make fuzz-device MINUTES=60 SEED=1   fuzzes the device on a debug kernel (docs/fuzzing.md)'
	@echo '  make fuzz-tool SECONDS=600           fuzzes all input formats of the tool'
	@echo '  make mutations plants known defects in a copy of the sources, and checks that the tests catch them (2 hours)'
	@echo '  make site      the documentation with manual pages and search, for a browser: build/site/html'
	@echo '  make format    formats the sources with clang-format'
	@echo '  make clean     removes build/;  make distclean also removes the cache of machines'
	@echo
	@echo 'Settings: V=1 (show commands), WERROR=1 (warnings are errors), MEMPHIS_CACHE=DIR (cache of built machines, currently'
	@echo '          $(or $(MEMPHIS_CACHE),$(or $(XDG_CACHE_HOME),~/.cache)/memphis))'

include packaging/install.mk

# Groups of packages are listed in packaging/packages.list. The goals of machines and tests install theirs.
GROUP ?= all
packages:
	$(Q)packaging/packages --install $(GROUP)

# What is built or installed by make asks only for packages, all at once.
groups_lib := lib
groups_examples := lib examples
groups_all := lib tool examples
groups_tool := tool
required:
	$(Q)$(PACKAGES) --check $(sort $(foreach goal,$(or $(MAKECMDGOALS),all),$(or $(groups_$(goal)),lib tool)))

# Always run the sub-makefiles, as only they contain the dependencies.
lib: required
	$(Q)$(MAKE) -C libsampler BUILD=$(BUILD)

tool: required
	$(Q)$(MAKE) -C postproc BUILD=$(BUILD)

examples: lib
	$(Q)[ ! -e $(BUILD)/include/memphis.mod ] || $(MAKE) -C examples/cice_halo BUILD=$(BUILD)
	$(Q)$(MAKE) -C examples/traffic BUILD=$(BUILD)
	$(Q)$(MAKE) -C examples/fft3d BUILD=$(BUILD)

machine:
	$(Q)machine/setup

kmod: machine
	$(Q)$(MAKE) $(MODULES)

$(BUILD)/kmod/%/memphis.ko: $(KMOD_SOURCES)
	$(Q)echo "  KMOD    memphis.ko for $*"
	$(Q)machine/kbuild $* kmod $(@D)

demo:
	$(Q)examples/cice_halo/demo

test:
	$(Q)tests/run $(LIMIT:%=--limit %) $(LAST_START:%=--last-start %)

test-more:
	$(Q)tests/run $(LIMIT:%=--limit %) $(LAST_START:%=--last-start %) more

# Everything, before a release (docs/testing.md). The goals that follow are parts of it.
test-all:
	$(Q)tests/run --all

test-fresh:
	$(Q)packaging/packages --install fresh
	$(Q)tests/fresh

test-kernels:
	$(Q)tests/run vm/module kernels

pictures:
	$(Q)[ -f build/demo/report-base.html ] || $(MAKE) demo
	$(Q)packaging/packages --install browser
	$(Q)tests/browser/pictures build/demo docs/pictures

bench-demo:
	$(Q)packaging/packages --install fresh
	$(Q)tests/bench/suites/demo

# Clones the last commit; its set-up downloads everything again.
bench-test:
	$(Q)tests/bench/suites/test $(ROUNDS)

bench-machine: machine
	$(Q)packaging/packages --install build
	$(Q)tests/bench/machine/speed

bench-sampling: machine
	$(Q)packaging/packages --install build test
	$(Q)tests/bench/sampling/sampling

bench-events: machine
	$(Q)packaging/packages --install build test
	$(Q)tests/bench/sampling/events

bench-guard: machine
	$(Q)packaging/packages --install build test
	$(Q)mkdir -p build/bench/guard
	$(Q)tests/bench/guard/guard > build/bench/guard/figures.txt
	$(Q)tests/bench/guard/compare build/bench/guard/figures.txt

bench-halo: machine
	$(Q)packaging/packages --install build test
	$(Q)tests/bench/library/halo
	$(Q)tests/bench/sampling/halo-instructions

bench-caliper: machine
	$(Q)packaging/packages --install build test
	$(Q)tests/bench/library/caliper
	$(Q)tests/bench/library/caliper-instructions

bench-alloc bench-file bench-io bench-job bench-merge bench-mpi bench-node bench-program: bench-%:
	$(Q)packaging/packages --install build test
	$(Q)tests/bench/*/$*

bench-advice:
	$(Q)packaging/packages --install build test
	$(Q)$(MAKE) tool
	$(Q)$(MAKE) -C tests/cli/samples BUILD=$(BUILD)
	$(Q)tests/corpus/advice/run --build $(BUILD) --seeds 3

bench-names:
	$(Q)packaging/packages --install build test clang corpus dwarf flang rust
	$(Q)$(MAKE) lib tool
	$(Q)$(MAKE) -C tests/cli/samples BUILD=$(BUILD)
	$(Q)$(MAKE) -C tests/corpus BUILD=$(BUILD)
	$(Q)tests/corpus/run --build $(BUILD)

# Only the emulated machine provides exact counts.
bench-traffic: machine
	$(Q)packaging/packages --install build test examples
	$(Q)MACHINE=skylake examples/traffic/sweep -r 4
	$(Q)MACHINE=skylake examples/traffic/sweep -e fft3d -r 4

bench-report bench-symbols bench-tables: bench-%:
	$(Q)packaging/packages --install build test
	$(Q)tests/bench/report/$*-speed

# The documentation with its manual pages and a search, for a browser; nothing is published.
site:
	$(Q)packaging/packages --check site
	$(Q)python3 docs/site/build.py . $(BUILD)/site

check:
	$(Q)packaging/packages --install build test check site
	$(Q)bats tests/house

check-kmod: machine
	$(Q)tests/check-kmod

MINUTES ?= 60
SEED ?= 1
fuzz-device: machine
	$(Q)tests/fuzz/device/run $(MINUTES) $(SEED)

SECONDS ?= 600
fuzz-tool:
	$(Q)packaging/packages --install build test clang dwarf
	$(Q)tests/fuzz/run $(SECONDS)

mutations: machine
	$(Q)packaging/packages --install build test
	$(Q)tests/mutations/run

format:
	$(Q)git ls-files '*.c' '*.h' '*.hpp' '*.cpp' | xargs clang-format -i

clean:
	rm -rf build

distclean: clean
	rm -rf "$${MEMPHIS_CACHE:-$${XDG_CACHE_HOME:-$$HOME/.cache}/memphis}"
