# SPDX-License-Identifier: BSD-3-Clause
# Detects the libraries that the post-processor uses; every Makefile that builds its modules includes this file. The features of a
# missing library are left out; cmd/stubs.c reports them at run time. Set SRC (this directory) and GENERATED (for protoc-c's output) before the include.
include $(SRC)/../packaging/options.mk

# A message has said what is missing of the required packages.
ifneq ($(MAKECMDGOALS),clean)
WITH := $(shell $(PACKAGES) --with tool || echo failed)
$(if $(filter failed,$(WITH)),$(error memphis: not built, see the message above))
endif
has = $(filter $(1),$(WITH))

# The table of obstacles, and the decoders, which the kernel module and the library share.
KMOD := $(SRC)/../kmod
SHARED := decode/model decode/obstacle decode/ibs_decode decode/pebs_decode

LIBRARIES := -ldw -lelf -ldl -lm
LIBRARY_FLAGS := -I$(GENERATED) -I$(KMOD)
LEFT_OUT :=
# Modules with a main function.
PROGRAMS := cmd/main.c mpi_reduce/mpi_reduce.c
PROTOS :=
ifneq ($(call has,zstd),)
LIBRARIES += -lzstd
LIBRARY_FLAGS += -DMEMPHIS_HAS_ZSTD
endif
ifneq ($(call has,demangle),)
LIBRARIES += -lstdc++
LIBRARY_FLAGS += -DMEMPHIS_HAS_DEMANGLE
endif
ifneq ($(and $(call has,protobuf),$(call has,zstd)),)
PROTOS += profile/file/mprof
LIBRARY_FLAGS += -DMEMPHIS_HAS_MPROF
else
LEFT_OUT += $(patsubst $(SRC)/%,%,$(wildcard $(SRC)/profile/file/*.c))
endif
ifneq ($(and $(call has,protobuf),$(call has,zlib)),)
PROTOS += export/pprof
LIBRARIES += -lz
LIBRARY_FLAGS += -DMEMPHIS_HAS_PPROF
else
LEFT_OUT += export/pprof.c
endif
ifneq ($(call has,sqlite),)
LIBRARIES += -lsqlite3
LIBRARY_FLAGS += -DMEMPHIS_HAS_SQLITE
else
LEFT_OUT += export/sqlite.c
endif
ifneq ($(call has,otf2),)
LIBRARIES += -lotf2
LIBRARY_FLAGS += -DMEMPHIS_HAS_OTF2
else
LEFT_OUT += export/otf2.c export/otf2_events.c
endif
ifneq ($(call has,hwloc),)
LIBRARIES += -lhwloc
LIBRARY_FLAGS += -DMEMPHIS_HAS_HWLOC
else
LEFT_OUT += node/machine/topology.c node/measure.c node/crew.c node/dgemm.c
endif
ifneq ($(call has,capstone),)
LIBRARIES += -lcapstone
LIBRARY_FLAGS += -DMEMPHIS_HAS_CAPSTONE
endif
ifneq ($(call has,scotch),)
LIBRARIES += -lscotch -lscotcherr
LIBRARY_FLAGS += -DMEMPHIS_HAS_SCOTCH
endif
# What memphis --version prints. The layers for MPI belong to the library.
comma := ,
listed = $(subst $() ,$(comma),$(sort $(filter-out mpich openmpi,$(1))))
options_of_tool := $(shell $(PACKAGES) --options tool)
LIBRARY_FLAGS += -DMEMPHIS_WITH=\"$(call listed,$(WITH))\" -DMEMPHIS_WITHOUT=\"$(call listed,$(filter-out $(WITH),$(options_of_tool)))\"
LIBRARIES += $(if $(PROTOS),-lprotobuf-c)

PROTO_HEADERS := $(PROTOS:%=$(GENERATED)/%.pb-c.h)
PROTO_SOURCES := $(PROTOS:%=$(GENERATED)/%.pb-c.c)

# Keep the generated files: make would delete them as intermediate files, and rebuild all files that include them next time.
.SECONDARY: $(PROTO_HEADERS) $(PROTO_SOURCES)
$(GENERATED)/%.pb-c.c $(GENERATED)/%.pb-c.h: $(SRC)/%.proto
	@mkdir -p $(@D)
	@protoc-c --proto_path=$(SRC) --c_out=$(GENERATED) $(<:$(SRC)/%=%)
