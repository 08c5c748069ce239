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
	char *name = memphis_demangle_function(symbol, NULL);

	is_text(name, want, symbol);
	free(name);
}

/* Expects the name of a function, with "|outlined" if it is the body of a parallel region of that function. */
static void clears_function(const char *name, const char *want)
{
	bool is_outlined = false;
	char *clear = memphis_demangle_function(name, &is_outlined), got[256];

	snprintf(got, sizeof(got), "%s%s", clear ? clear : "(as it is)", is_outlined ? "|outlined" : "");
	is_text(got, want, name ? name : "no name");
	free(clear);
}

/* Expects SCOPE|NAME, or "(as it is)". */
static void clears_variable(const char *symbol, bool signatures, const char *want)
{
	size_t scope = 0;
	char *name = memphis_demangle_variable(symbol, signatures, &scope), got[256] = "(as it is)";

	if (name)
		snprintf(got, sizeof(got), "%.*s|%s", (int)scope, name, name + scope);
	is_text(got, want, symbol);
	free(name);
}

static void has_lambda(const char *symbol, const char *want)
{
	char *name = memphis_demangle_lambda(symbol);

	is_text(name ? name : "(none)", want, symbol);
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
	clears_function("_QMoceanPwork..omp_par", "ocean::work|outlined");
	clears_function("_QFPwork..omp_par.1", "work|outlined");
	clears_function("_QQmain", "MAIN__");
	clears_function("__ocean_MOD_work._omp_fn.0", "ocean::work|outlined");
	clears_function("MAIN__._omp_fn.1", "MAIN__|outlined");
	clears_function("__ocean_MOD_work", "ocean::work");
	clears_function("master.0.work", "work");
	clears_function("master.0.", "(as it is)");
	clears_function("master.work", "(as it is)");
}

static void of_clones(void)
{
	clears_function("work", "(as it is)");
	clears_function("work.partition", "(as it is)");
	clears_function("work.cache", "(as it is)");
	clears_function(NULL, "(as it is)");
	clears_function("work.constprop.0", "work");
	clears_function("work.isra.0.part.1", "work");
	clears_function("work.cold", "work");
	clears_function("work.lto_priv.12", "work");
	clears_function("work.llvm.1234567890", "work");
	clears_function("main._omp_fn.0", "main|outlined");
	clears_function("main._omp_fn.0.constprop.1", "main|outlined");
	clears_function("work.constprop.0._omp_fn.2", "work|outlined");
	clears_function("main.omp_outlined", "main|outlined");
	clears_function("main.omp_outlined_debug__", "main|outlined");
	clears_function("main.omp_outlined.12", "main|outlined");
	clears_function(".omp_outlined._debug__", "|outlined");
	clears_function("main.DIR.OMP.PARALLEL.LOOP.2.split", "main|outlined");
	clears_function("_ZN5ocean5sweepEPKd._omp_fn.0", "ocean::sweep(double const*)|outlined");
	clears_function("_ZN5ocean5sweepEPKd.constprop.0", "ocean::sweep(double const*)");
	clears_variable("seen", true, "(as it is)");
	clears_variable("seen.0", true, "(as it is)");
	clears_variable("seen.lto_priv.0", true, "|seen");
	clears_variable("_ZN5ocean5depthE", true, "ocean::|depth");
	clears_variable("_ZZN5ocean4stepEiE4seen", true, "ocean::step(int)::|seen");
	clears_variable("_ZZN5ocean4stepEiE4seen", false, "ocean::step::|seen");
	clears_variable("_ZZNK5ocean4Grid4stepEiE4seen", false, "ocean::Grid::step::|seen");
	clears_variable("_ZZN12_GLOBAL__N_14stepEiE4seen", false, "(anonymous namespace)::step::|seen");
	clears_variable("_Z5tableIfE", false, "|table<float>");
	clears_variable("_ZZZ4mainENKUliE_clEiE7lamstat", true, "main::{lambda(int)#1}::|lamstat");
	clears_variable("_ZZZ4mainENKUliE0_clEiE7lamstat", false, "main::{lambda(int)#2}::|lamstat");
	has_lambda("_ZZ4mainENKUliE_clEi", "{lambda(int)#1}");
	has_lambda("_ZZ4mainENK3$_1clEi", "{lambda#2}");
	has_lambda("_ZN5ocean4stepEi", "(none)");
	has_lambda(NULL, "(none)");
}

int main(void)
{
	of_fortran();
	demangles("_ZN5ocean4GridIdE7advanceEPKd", "ocean::Grid<double>::advance(double const*)");
	demangles("_ZN12_GLOBAL__N_15sweepEm", "(anonymous namespace)::sweep(unsigned long)");
	of_clones();
	clears_function("main", "(as it is)");
	clears_function("_Z", "(as it is)");
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
	shortens("ocean::sweep(double const*, double const*, unsigned long) (OpenMP)",
		 "ocean::sweep (OpenMP)");
	shortens("ocean::sweep(double const*) (OpenMP)", "ocean::sweep(double const*) (OpenMP)");
	shortens("main::{lambda(double const*, unsigned long, unsigned long)#1}::operator()(double) const",
		 "main::{lambda(double const*, unsigned long, unsigned long)#1}::operator()");
	return finish();
}
