# SPDX-License-Identifier: BSD-3-Clause
# Programs to be asked about, never run: by compiler, version of DWARF and optimization. Without build-ids, so that any is the recorded one.
FIXTURES := $(OUT)/variables
PLAIN := $(foreach cc,gcc clang,$(foreach dwarf,4 5,$(foreach o,0 2,plain-$(cc)-$(dwarf)-$(o).so)))
PLUS := $(foreach cc,g++ clang++,$(foreach dwarf,4 5,$(foreach o,0 2,plus-$(cc)-$(dwarf)-$(o).so)))
FORTRAN := $(foreach dwarf,4 5,$(foreach o,0 2,fields-gfortran-$(dwarf)-$(o).so))
BUILDS := $(addprefix $(FIXTURES)/,$(PLAIN) $(PLUS) $(FORTRAN) plain-stripped.so)

# The stem: COMPILER-DWARF-OPTIMIZATION
options = -fPIC -shared -Wl,--build-id=none -gdwarf-$(word 2,$(subst -, ,$*)) -O$(word 3,$(subst -, ,$*)) -o $@ $<
compiler = $(firstword $(subst -, ,$*))

$(FIXTURES)/plain-stripped.so: variables/plain.c Makefile
	@mkdir -p $(@D)
	@gcc -g0 -fPIC -shared -Wl,--build-id=none -o $@ $<

$(FIXTURES)/plain-%.so: variables/plain.c Makefile
	@mkdir -p $(@D)
	@$(compiler) $(options)

$(FIXTURES)/plus-%.so: variables/plus.cc Makefile
	@mkdir -p $(@D)
	@$(compiler) -std=c++17 $(options)

$(FIXTURES)/fields-%.so: variables/fields.F90 Makefile
	@mkdir -p $(@D)/$*
	@$(compiler) -fopenmp -J$(@D)/$* $(options)

$(OUT)/variables_test: $(BUILDS)
$(OUT)/variables_test: CFLAGS += -DFIXTURES='"$(FIXTURES)"' -DPLAIN='"$(PLAIN)"' -DPLUS='"$(PLUS)"' -DFORTRAN='"$(FORTRAN)"'
