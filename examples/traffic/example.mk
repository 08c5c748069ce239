# SPDX-License-Identifier: BSD-3-Clause
# Rules of the examples with known memory traffic: NAME, SOURCES, DEFINES, LIBS, and LACKING (the group of optional packages), are those of the including Makefile.
ifneq ($(V),1)
Q := @
endif

CC := gcc
CFLAGS ?= -O2 -g
# Vectors of two words (SSE2), so that the instructions are the same on all x86-64 machines. A loop that copies stays a loop: the C
# library's memcpy() decides by itself whether its stores bypass the caches.
override CFLAGS += -std=gnu11 -ftree-vectorize -fno-tree-loop-distribute-patterns -fopenmp -Wall -Wextra $(if $(filter 1,$(WERROR)),-Werror) -I../traffic $(DEFINES) -I$(MEMPHIS_INCLUDE)
# The header of a source tree is not in its build directory.
MEMPHIS_INCLUDE = $(if $(wildcard $(MEMPHIS)/include/memphis.h),$(MEMPHIS)/include,$(ROOT)/include)
OUT := $(BUILD)/examples/$(NAME)

all: $(OUT)/$(NAME)

$(OUT)/$(NAME): $(SOURCES) $(wildcard *.h ../traffic/*.h) Makefile ../traffic/example.mk $(OUT)/flags $(MEMPHIS_INCLUDE)/memphis.h | $(filter $(BUILD)/%,$(MEMPHIS)/lib/libmemphis.so)
	$(Q)echo "  CC      $(NAME)"
	$(Q)$(CC) $(CFLAGS) -o $@ $(SOURCES) -L$(MEMPHIS)/lib -lmemphis -Wl,-rpath,$(MEMPHIS)/lib $(LIBS)
	$(Q)$(if $(LACKING),$(ROOT)/packaging/packages --left-out $(LACKING))

# A library that is installed, or another Memphis, rebuilds the program.
.PHONY: force
$(OUT)/flags: force
	$(Q)mkdir -p $(OUT)
	$(Q)echo '$(MEMPHIS) $(DEFINES)' | cmp -s - $@ || echo '$(MEMPHIS) $(DEFINES)' > $@

clean:
	$(Q)rm -rf $(OUT)

.PHONY: all clean
