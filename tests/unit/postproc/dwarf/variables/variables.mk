# SPDX-License-Identifier: BSD-3-Clause
# Programs whose debug information variables_test.c and locals_test.c read; they are never run. Each is built for several compilers, DWARF versions and
# optimization levels, without build IDs, so that the reader accepts any build as the recorded one.
.DELETE_ON_ERROR:
FIXTURES := $(OUT)/variables
PLAIN := $(foreach cc,gcc clang,$(foreach dwarf,4 5,$(foreach o,0 2,plain-$(cc)-$(dwarf)-$(o).so)))
PLUS := $(foreach cc,g++ clang++,$(foreach dwarf,4 5,$(foreach o,0 2,plus-$(cc)-$(dwarf)-$(o).so)))
FORTRAN := $(foreach dwarf,4 5,$(foreach o,0 2,fields-gfortran-$(dwarf)-$(o).so))
# LLVM's flang, COMMAND=NAME: 19 writes DWARF 4 only. The tests of a compiler that is missing are skipped.
FLANGS := flang-new-19=flang19-4 flang-22=flang22-4 flang-22=flang22-5
FLANG = $(foreach flang,$(FLANGS),$(if $(shell command -v $(firstword $(subst =, ,$(flang)))),$(foreach o,0 2,fields-$(lastword $(subst =, ,$(flang)))-$(o).so)))
FLANG19 := $(filter fields-flang19-%,$(FLANG))
MIXED := $(patsubst %.so,%-mixed.so,$(firstword $(FLANG19)))
FLANG22 := $(filter fields-flang22-%,$(FLANG))
STRIPPED := plain-stripped.so $(patsubst %.so,%-stripped.so,$(firstword $(FLANG19)))
# Debug information in other forms: compressed, in separate files (.dwo), shared by two programs (dwz), and split off the program (link).
FORMS := $(foreach dwarf,4 5,plain-gcc-$(dwarf)-zlib.so plain-gcc-$(dwarf)-zstd.so plain-clang-$(dwarf)-zlib.so plain-clang-$(dwarf)-dwo.so plain-gcc-$(dwarf)-dwz.so) plain-gcc-5-link.so
BLOCKS := $(foreach cc,gcc clang,$(foreach dwarf,4 5,$(foreach o,0 2,blocks-$(cc)-$(dwarf)-$(o).so)))
BUILDS := $(addprefix $(FIXTURES)/,$(BLOCKS) $(PLAIN) $(PLUS) $(FORTRAN) $(FLANG) $(FORMS) $(STRIPPED) $(MIXED))

# The stem of each pattern is COMPILER-DWARF-OPTIMIZATION.
options = -fPIC -shared -Wl,--build-id=none -gdwarf-$(word 2,$(subst -, ,$*)) -O$(word 3,$(subst -, ,$*)) -o $@ $<
compiler = $(firstword $(subst -, ,$*))

$(FIXTURES)/plain-stripped.so: dwarf/variables/plain.c Makefile
	@mkdir -p $(@D)
	@gcc -g0 -fPIC -shared -Wl,--build-id=none -o $@ $<

$(FIXTURES)/plain-%.so: dwarf/variables/plain.c Makefile
	@mkdir -p $(@D)
	@$(compiler) $(options)

$(FIXTURES)/plain-%-zlib.so: dwarf/variables/plain.c Makefile
	@mkdir -p $(@D)
	@$(compiler) -gz=zlib $(options)

$(FIXTURES)/plain-%-zstd.so: dwarf/variables/plain.c Makefile
	@mkdir -p $(@D)
	@$(compiler) $(options)
	@objcopy --compress-debug-sections=zstd $@

$(FIXTURES)/plain-%-dwo.so: dwarf/variables/plain.c Makefile
	@mkdir -p $(@D)
	@$(compiler) -gsplit-dwarf -fPIC -gdwarf-$(word 2,$(subst -, ,$*)) -O2 -c -o $(@:.so=.o) $<
	@$(compiler) -shared -Wl,--build-id=none -o $@ $(@:.so=.o)

$(FIXTURES)/plain-%-dwz.so: dwarf/variables/plain.c Makefile
	@mkdir -p $(@D)
	@$(compiler) $(options)
	@$(compiler) $(options:$@=$@.other) -O0 -o $@.other
	@cd $(@D) && dwz -m $(@F:.so=.common) -M $(@F:.so=.common) $(@F) $(@F).other

$(FIXTURES)/plain-%-link.so: dwarf/variables/plain.c Makefile
	@mkdir -p $(@D)
	@$(compiler) $(options)
	@cd $(@D) && objcopy --only-keep-debug $(@F) $(@F:.so=.debug) && strip -g $(@F) && objcopy --add-gnu-debuglink=$(@F:.so=.debug) $(@F)

$(FIXTURES)/blocks-%.so: dwarf/variables/blocks.c Makefile
	@mkdir -p $(@D)
	@$(compiler) $(options)

$(FIXTURES)/plus-%.so: dwarf/variables/plus.cc Makefile
	@mkdir -p $(@D)
	@$(compiler) -std=c++17 $(options)

$(FIXTURES)/fields-%.so: dwarf/variables/fields.F90 dwarf/variables/cache.c Makefile
	@mkdir -p $(@D)/$*
	@gcc -g0 -fPIC -c -o $(@:.so=.cache.o) dwarf/variables/cache.c
	@$(compiler) -fopenmp -J$(@D)/$* $(options) $(@:.so=.cache.o)

# flang links OpenMP's and its own library, which the fixture does not need.
$(FIXTURES)/fields-flang%.so: dwarf/variables/fields.F90 Makefile
	@mkdir -p $(@D)/flang$*
	@$(firstword $(subst =, ,$(filter %=flang$(word 1,$(subst -, ,$*))-$(word 2,$(subst -, ,$*)),$(FLANGS)))) \
		-g $(if $(filter 5,$(word 2,$(subst -, ,$*))),-gdwarf-5) -O$(word 3,$(subst -, ,$*)) -fopenmp -w -fPIC -module-dir $(@D)/flang$* -c -o $(@:.so=.o) $<
	@gcc -shared -Wl,--build-id=none -o $@ $(@:.so=.o)

$(FIXTURES)/fields-flang%-mixed.so: $(FIXTURES)/fields-flang%.so dwarf/variables/cache.c
	@gcc -g0 -fPIC -c -o $(@:.so=.o) dwarf/variables/cache.c
	@gcc -shared -Wl,--build-id=none -o $@ $(<:.so=.o) $(@:.so=.o)

$(FIXTURES)/fields-flang%-stripped.so: $(FIXTURES)/fields-flang%.so
	@strip -g -o $@ $<

$(OUT)/dwarf/variables_test $(OUT)/dwarf/locals_test: $(BUILDS)
$(OUT)/dwarf/variables_test $(OUT)/dwarf/locals_test: CFLAGS += -DFIXTURES='"$(FIXTURES)"' -DPLAIN='"$(PLAIN) $(FORMS)"' -DBLOCKS='"$(BLOCKS)"' -DPLUS='"$(PLUS)"' -DFORTRAN='"$(FORTRAN)"' -DFLANG19='"$(FLANG19)"' -DFLANG22='"$(FLANG22)"' -DMIXED_FLANG='"$(MIXED)"' -DSTRIPPED_FLANG='"$(filter fields-%,$(STRIPPED))"'
