// SPDX-License-Identifier: BSD-3-Clause
/* Demangling and shortening of C++ names. If this fails, C++ functions have other names in reports than in their source. */
#include "dwarf/demangle.h"

#include <stdlib.h>

#include "../../tap.h"

static void shortens(const char *name, const char *want)
{
	struct memphis_text text = {0};

	memphis_put_function(&text, name);
	is_text(text.text, want, want);
	memphis_text_close(&text);
}

static void demangles(const char *symbol, const char *want)
{
	char *name = memphis_demangle(symbol);

	is_text(name, want, symbol);
	free(name);
}

int main(void)
{
	demangles("_ZN5ocean4GridIdE7advanceEPKd", "ocean::Grid<double>::advance(double const*)");
	demangles("_ZN12_GLOBAL__N_15sweepEm", "(anonymous namespace)::sweep(unsigned long)");
	ok(!memphis_demangle("main") && !memphis_demangle("__state_MOD_step") && !memphis_demangle("_Z") &&
		   !memphis_demangle(NULL),
	   "names of C and Fortran, and incomplete mangled names, are not demangled");
	shortens("__state_MOD_step_that_has_a_rather_long_name_in_its_module",
		 "__state_MOD_step_that_has_a_rather_long_name_in_its_module");
	shortens("ocean::sweep(double const*)", "ocean::sweep(double const*)");
	shortens("ocean::sweep(double const*, double const*, unsigned long)", "ocean::sweep");
	shortens("double ocean::advance<double, ocean::Grid<double, ocean::Coarse>>(double const*)",
		 "ocean::advance");
	shortens("ocean::Grid<double, ocean::Coarse>::operator()(double const*, int) const",
		 "ocean::Grid<double, ocean::Coarse>::operator()");
	shortens("ocean::Matrix::operator()(unsigned long, unsigned long, unsigned long)",
		 "ocean::Matrix::operator()");
	shortens("std::ostream& ocean::operator<< <ocean::Coarse, ocean::Fine>(std::ostream&)",
		 "ocean::operator<<");
	shortens("ocean::Pointer<ocean::Grid<double, ocean::Coarse>>::operator->() const",
		 "ocean::Pointer::operator->");
	shortens("ocean::Pointer<ocean::Grid<double, ocean::Coarse>>::operator bool() const",
		 "ocean::Pointer::operator bool");
	shortens("(anonymous namespace)::a_function_with_a_name_of_its_own(int)",
		 "(anonymous namespace)::a_function_with_a_name_of_its_own");
	shortens("main::{lambda(double const*, unsigned long, unsigned long)#1}::operator()(double) const",
		 "main::{lambda(double const*, unsigned long, unsigned long)#1}::operator()");
	return finish();
}
