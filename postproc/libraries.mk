# SPDX-License-Identifier: BSD-3-Clause
# Detects the libraries that the post-processor uses; every Makefile that builds its modules includes this file. The features of a
# missing library are left out, and LACKING lists the packages; cmd/stubs.c reports them at run time. Set SRC (this directory) and GENERATED
# (for protoc-c's output) before the include.
has_header = $(shell $(CC) $(CPPFLAGS) $(CFLAGS) -E -include $(1) -x c /dev/null > /dev/null 2>&1 && echo yes)

# Without this check, the compiler would report only the first missing header of the required ones, and no package.
ifneq ($(MAKECMDGOALS),clean)
ifeq ($(shell CC='$(CC)' CPPFLAGS='$(CPPFLAGS)' CFLAGS='$(CFLAGS)' $(SRC)/../packaging/packages --check tool && echo yes),)
$(error memphis: required packages are missing)
endif
endif

HAS_PROTOBUF_C := $(call has_header,protobuf-c/protobuf-c.h)
# With a redirection, make asks a shell, which has this command, also before version 4.3.
HAS_PROTOC := $(shell command -v protoc-c 2> /dev/null)
HAS_PROTOBUF := $(and $(HAS_PROTOBUF_C),$(HAS_PROTOC))
HAS_ZSTD := $(call has_header,zstd.h)
HAS_ZLIB := $(call has_header,zlib.h)
HAS_SQLITE := $(call has_header,sqlite3.h)
# Version 3.0 changed the functions that write definitions.
HAS_OTF2 := $(shell $(CC) $(CPPFLAGS) $(CFLAGS) -E -dM -include otf2/otf2.h -x c /dev/null 2> /dev/null | \
	awk '$$2 == "OTF2_VERSION_MAJOR" && $$3 >= 3 { print "yes" }')
HAS_HWLOC := $(call has_header,hwloc.h)
HAS_SCOTCH := $(call has_header,scotch/scotch.h)
HAS_CAPSTONE := $(call has_header,capstone/capstone.h)

# The compiler prints the library's path if it has one, else the bare name.
HAS_DEMANGLE := $(findstring /,$(shell $(CC) -print-file-name=libstdc++.so))

# The table of obstacles, which the kernel module and the library share.
KMOD := $(SRC)/../kmod
SHARED := decode/model decode/obstacle

LIBRARIES := -ldw -lelf -ldl -lm
LIBRARY_FLAGS := -I$(GENERATED) -I$(KMOD)
LEFT_OUT :=
# Modules with a main function.
PROGRAMS := cmd/main.c mpi_reduce/mpi_reduce.c
PROTOS :=
LACKING := $(if $(HAS_PROTOBUF_C),,libprotobuf-c-dev) $(if $(HAS_PROTOC),,protobuf-c-compiler) $(if $(HAS_ZSTD),,libzstd-dev) \
	$(if $(HAS_ZLIB),,zlib1g-dev) $(if $(HAS_SQLITE),,libsqlite3-dev) $(if $(HAS_OTF2),,libotf2-trace-dev) $(if $(HAS_HWLOC),,libhwloc-dev) $(if $(HAS_CAPSTONE),,libcapstone-dev) $(if $(HAS_SCOTCH),,libscotch-dev) $(if $(HAS_DEMANGLE),,g++)
ifneq ($(HAS_ZSTD),)
LIBRARIES += -lzstd
LIBRARY_FLAGS += -DMEMPHIS_HAS_ZSTD
endif
ifneq ($(HAS_DEMANGLE),)
LIBRARIES += -lstdc++
LIBRARY_FLAGS += -DMEMPHIS_HAS_DEMANGLE
endif
ifneq ($(and $(HAS_PROTOBUF),$(HAS_ZSTD)),)
PROTOS += profile/file/mprof
LIBRARY_FLAGS += -DMEMPHIS_HAS_MPROF
else
LEFT_OUT += $(patsubst $(SRC)/%,%,$(wildcard $(SRC)/profile/file/*.c))
endif
ifneq ($(and $(HAS_PROTOBUF),$(HAS_ZLIB)),)
PROTOS += export/pprof
LIBRARIES += -lz
LIBRARY_FLAGS += -DMEMPHIS_HAS_PPROF
else
LEFT_OUT += export/pprof.c
endif
ifneq ($(HAS_SQLITE),)
LIBRARIES += -lsqlite3
LIBRARY_FLAGS += -DMEMPHIS_HAS_SQLITE
else
LEFT_OUT += export/sqlite.c
endif
ifneq ($(HAS_OTF2),)
LIBRARIES += -lotf2
LIBRARY_FLAGS += -DMEMPHIS_HAS_OTF2
else
LEFT_OUT += export/otf2.c export/otf2_events.c
endif
ifneq ($(HAS_HWLOC),)
LIBRARIES += -lhwloc
LIBRARY_FLAGS += -DMEMPHIS_HAS_HWLOC
else
LEFT_OUT += node/machine/topology.c node/measure.c node/crew.c node/dgemm.c
endif
ifneq ($(HAS_CAPSTONE),)
LIBRARIES += -lcapstone
LIBRARY_FLAGS += -DMEMPHIS_HAS_CAPSTONE
endif
ifneq ($(HAS_SCOTCH),)
LIBRARIES += -lscotch -lscotcherr
LIBRARY_FLAGS += -DMEMPHIS_HAS_SCOTCH
endif
LIBRARIES += $(if $(PROTOS),-lprotobuf-c)

PROTO_HEADERS := $(PROTOS:%=$(GENERATED)/%.pb-c.h)
PROTO_SOURCES := $(PROTOS:%=$(GENERATED)/%.pb-c.c)

# Keep the generated files: make would delete them as intermediate files, and rebuild all files that include them next time.
.SECONDARY: $(PROTO_HEADERS) $(PROTO_SOURCES)
$(GENERATED)/%.pb-c.c $(GENERATED)/%.pb-c.h: $(SRC)/%.proto
	@mkdir -p $(@D)
	@protoc-c --proto_path=$(SRC) --c_out=$(GENERATED) $(<:$(SRC)/%=%)
