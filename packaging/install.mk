# SPDX-License-Identifier: BSD-3-Clause
# Installation. The directories can be set on the command line; docs/installing.md describes each goal.

prefix ?= /usr/local
bindir ?= $(prefix)/bin
libdir ?= $(prefix)/lib
includedir ?= $(prefix)/include
datadir ?= $(prefix)/share
mandir ?= $(datadir)/man
docdir ?= $(datadir)/doc/memphis
bashcompdir ?= $(datadir)/bash-completion/completions
zshcompdir ?= $(datadir)/zsh/site-functions
# gfortran's module file; other compilers create their own from memphis_fortran.F90.
fmoddir ?= $(includedir)/memphis
# This directory is in no interpreter's search path: set PYTHONPATH, or choose the interpreter's directory (docs/installing.md).
pythondir ?= $(datadir)/memphis/python
# `module use` of this directory offers memphis/VERSION to Lmod and Environment Modules.
modulefilesdir ?= $(datadir)/modulefiles
# Distribution packages install into these three directories below /usr/lib.
udevrulesdir ?= /etc/udev/rules.d
sysusersdir ?= /etc/sysusers.d
modulesloaddir ?= /etc/modules-load.d
# For `make install-slurm` and `make install-moab` (docs/slurm.md, docs/moab.md).
sysconfdir ?= /etc
libexecdir ?= $(prefix)/libexec
batchdir ?= $(libexecdir)/memphis/batch
SPANK ?= yes
version := $(shell sed -n 's/^.define MEMPHIS_VERSION "\(.*\)"/\1/p' include/memphis/version.h)
dkmsdir ?= /usr/src/memphis-$(version)

DIRECTORIES := DESTDIR prefix bindir libdir includedir datadir mandir docdir bashcompdir zshcompdir fmoddir pythondir modulefilesdir udevrulesdir sysusersdir modulesloaddir dkmsdir version sysconfdir batchdir SPANK
FILES = $(foreach name,$(DIRECTORIES) BUILD,$(name)='$($(name))') packaging/files

.PHONY: install uninstall install-module uninstall-module install-dkms uninstall-dkms sign dist wheel rpm deb test-install
.PHONY: install-slurm uninstall-slurm install-moab uninstall-moab
.PHONY: install-dkms-files install-site-files

# Installs only Memphis.
install: required
	$(Q)$(MAKE) -C libsampler BUILD=$(BUILD)
	$(Q)$(MAKE) -C postproc BUILD=$(BUILD)
	$(Q)$(FILES) install user
	$(Q)packaging/system library

uninstall:
	$(Q)$(FILES) uninstall user
	$(Q)packaging/system library

install-site-files:
	$(Q)$(FILES) install site
	$(Q)packaging/system site

install-module:
	$(Q)packaging/system need-root
	$(Q)$(MAKE) -C kmod install
	$(Q)$(MAKE) install-site-files

uninstall-module:
	$(Q)packaging/system need-root
	$(Q)packaging/system unload
	$(Q)$(MAKE) -C kmod uninstall
	$(Q)$(FILES) uninstall site
	$(Q)packaging/system forget

install-dkms-files:
	$(Q)$(FILES) install dkms

install-dkms:
	$(Q)packaging/system need-dkms
	$(Q)$(MAKE) install-dkms-files install-site-files
	$(Q)packaging/system dkms $(version)

uninstall-dkms:
	$(Q)packaging/system unload
	$(Q)packaging/system dkms-remove $(version)
	$(Q)$(FILES) uninstall dkms
	$(Q)$(FILES) uninstall site
	$(Q)packaging/system forget

# Installs the scripts that Slurm runs; does not change Slurm's own files.
install-slurm:
	$(Q)[ '$(SPANK)' = no ] || $(MAKE) -C batch/slurm BUILD=$(BUILD)
	$(Q)$(FILES) install slurm

uninstall-slurm:
	$(Q)$(FILES) uninstall slurm

install-moab:
	$(Q)$(FILES) install moab

uninstall-moab:
	$(Q)$(FILES) uninstall moab

sign:
	$(Q)$(MAKE) -C kmod sign

dist:
	$(Q)packaging/dist $(version) $(BUILD)/dist

wheel:
	$(Q)PYTHON='$(or $(PYTHON),python3)' packaging/wheel $(BUILD)/dist

# RPM: options of rpmbuild, for example --without otf2
rpm:
	$(Q)packaging/rpm/build $(version) $(BUILD)/rpm memphis $(RPM)

deb:
	$(Q)packaging/deb $(version) $(BUILD)/deb

test-install:
	$(Q)packaging/packages --install build deb fresh machine test
	$(Q)$(MAKE) deb
	$(Q)tests/vm/site/install/fresh bookworm
	$(Q)tests/vm/site/install/fresh trixie
