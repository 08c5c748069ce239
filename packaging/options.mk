# SPDX-License-Identifier: BSD-3-Clause
# The options WITH_NAME=yes|no|auto, which packaging/packages.list declares. Each Makefile that builds a part with optional packages includes this file,
# before it changes CC, CFLAGS and the like: $(PACKAGES) is packaging/packages with the options and the compilers of this call of make.

ifneq ($(origin BUILD),undefined)
ifeq ($(strip $(BUILD)),)
$(error memphis: BUILD is empty: give it a directory, or leave it out)
endif
endif
options_dir := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
ifeq ($(origin MPICC_mpich),undefined)
MPICC_mpich := $(shell $(options_dir)/mpicc mpich)
endif
ifeq ($(origin MPICC_openmpi),undefined)
MPICC_openmpi := $(shell $(options_dir)/mpicc openmpi)
endif
MPICC_abi ?= mpicc_abi
options := $(sort $(shell awk '$$6 ~ /^WITH_/ { print $$6 }' $(options_dir)/packages.list))
# The environment may have such variables for other reasons.
options_unknown := $(foreach name,$(filter-out $(options),$(filter WITH_%,$(.VARIABLES))),$(if $(findstring command,$(origin $(name))),$(name)))
ifneq ($(strip $(options_unknown)),)
$(error memphis: no such option: $(strip $(options_unknown)); make help lists them)
endif
# $(shell) of make before version 4.4 does not export variables.
PACKAGES := env CC='$(CC)' $(if $(FC),FC='$(FC)') CPPFLAGS='$(CPPFLAGS)' CFLAGS='$(CFLAGS)' MPICC_mpich='$(MPICC_mpich)' \
	MPICC_openmpi='$(MPICC_openmpi)' MPICC_abi='$(MPICC_abi)' $(foreach name,$(options),$(name)='$($(name))') $(options_dir)/packages
