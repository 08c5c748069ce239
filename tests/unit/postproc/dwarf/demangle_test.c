// SPDX-License-Identifier: BSD-3-Clause
/*
 * Demangling of names of C++ and Fortran, and shortening. If this fails, functions and variables have other names in reports than in
 * their source.
 */
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

/* Expects SCOPE|NAME, or "(none)". */
static void demangles_fortran(const char *symbol, const char *want)
{
	size_t scope = 0;
	char *name = memphis_demangle_fortran(symbol, &scope), got[256] = "(none)";

	if (name)
		snprintf(got, sizeof(got), "%.*s|%s", (int)scope, name, name + scope);
	is_text(got, want, symbol);
	free(name);
}

static void clears_procedure(const char *symbol, const char *want)
{
	char *name = memphis_demangle_procedure(symbol);

	is_text(name ? name : "(as it is)", want, symbol);
	free(name);
}

static void of_fortran(void)
{
	demangles_fortran("__ice_state_MOD_aicen", "ice_state::|aicen");
	demangles_fortran("__ice_state_MOD_", "(none)");
	demangles_fortran("___MOD_aicen", "(none)");
	demangles_fortran("ice_state_mp_aicen_", "ice_state::|aicen");
	demangles_fortran("ice_state_mp_aicen", "(none)");
	demangles_fortran("_mp_aicen_", "(none)");
	demangles_fortran("Grid_mp_aicen_", "(none)");
	demangles_fortran("_QMice_stateEaicen", "ice_state::|aicen");
	demangles_fortran("_QMoceanFuseEkept", "ocean::use::|kept");
	demangles_fortran("_QMmodSs1modSs2modFsubPfun", "mod::s1mod::s2mod::sub::|fun");
	demangles_fortran("_QMoceanFuseB1Elocal", "ocean::use::|local");
	demangles_fortran("_QMoceanECtable", "ocean::|table");
	demangles_fortran("_QFoutsideEkept", "outside::|kept");
	demangles_fortran("_QFEcounts", "|counts");
	demangles_fortran("_QFFsEinner", "s::|inner");
	demangles_fortran("_QFEmine.0.body", "|mine");
	demangles_fortran("_QMoceanFworkEkeep.0", "ocean::work::|keep");
	demangles_fortran("_QMoceanEwork.cache", "ocean::|work.cache");
	demangles_fortran("_QMoceanE.n.cells", "(none)");
	demangles_fortran("_QMoceanEXnXcells", "(none)");
	demangles_fortran("_QMoceanTgrid", "(none)");
	demangles_fortran("_QQclX2F746D70", "(none)");
	demangles_fortran("_QMocean", "(none)");
	demangles_fortran("_Q", "(none)");
	demangles_fortran("metrics_", "(none)");
	clears_procedure("_QMoceanPwork..omp_par", "ocean::work..omp_par");
	clears_procedure("_QQmain", "MAIN__");
	clears_procedure("__ocean_MOD_work._omp_fn.0", "(as it is)");
	clears_procedure("work", "(as it is)");
	clears_procedure(NULL, "(as it is)");
}

int main(void)
{
	of_fortran();
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
