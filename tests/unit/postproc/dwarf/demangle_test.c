// SPDX-License-Identifier: BSD-3-Clause
/*
 * Demangling of names of C++, Fortran and Rust, and shortening. If this fails, functions and variables have other names in reports than in
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
	clears_function("work.1", "work");
	clears_function("work.1._omp_fn.0", "work|outlined");
	clears_function("..1", "(as it is)");
	clears_function("work.1a", "(as it is)");
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
	clears_variable("seen.0", true, "|seen");
	clears_variable("step.seen", true, "step::|seen");
	clears_variable("step.seen.3", true, "step::|seen");
	clears_variable("state.body.0", true, "|state");
	clears_variable("C.12.3456", true, "(as it is)");
	clears_variable("anon.5f02ab.4", true, "(as it is)");
	clears_variable("switch.table.step", true, "(as it is)");
	clears_variable(".L.str", true, "(as it is)");
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

static void of_rust(void)
{
	demangles("_ZN8generics4main28_$u7b$$u7b$closure$u7d$$u7d$17hc9aec641dec8d860E",
		  "generics::main::{closure}");
	demangles("_ZN53_$LT$matrix..Matrix$u20$as$u20$core..clone..Clone$GT$5clone17h0db9d37e2d1dd5f1E",
		  "<matrix::Matrix as core::clone::Clone>::clone");
	demangles("_ZN5alloc3vec16Vec$LT$T$C$A$GT$7reserve17h53251e3dd6a42b4aE.llvm.1234",
		  "alloc::vec::Vec<T,A>::reserve");
	demangles("_ZN4core3num23_$LT$impl$u20$usize$GT$3add18precondition_check17h20cc072b1633c2ceE",
		  "usize::add::precondition_check");
	demangles("_ZN6matrix1_48_$LT$impl$u20$core..ops..Add$u20$for$u20$f64$GT$3add17h20cc072b1633c2ceE",
		  "<f64 as core::ops::Add>::add");
	/* Without a hash, the name is one of C++. */
	demangles("_ZN8generics4mainE", "generics::main");
	demangles("_RNvCscIBPRuDlBTi_8generics4main", "generics::main");
	demangles("_RNCNvCscIBPRuDlBTi_8generics4main0B3_", "generics::main::{closure}");
	demangles("_RINvNtCsjrHSEGnQ3l9_3std2io19default_read_to_endRNtNtB4_2fs4FileEB4_",
		  "std::io::default_read_to_end");
	demangles("_RNvNtNtNtCsjrHSEGnQ3l9_3std3sys3pal4unix19ON_BROKEN_PIPE_USED.0",
		  "std::sys::pal::unix::ON_BROKEN_PIPE_USED");
	demangles("_RNvMs_NtCs4X4t9plMPHF_9addr2line4lineNtB4_5Lines13find_location",
		  "addr2line::line::Lines::find_location");
	demangles(
		"_RNvXs1j_NtCsgEmfK2I1SDS_4core3fmtQDNtNtB8_5panic12PanicPayloadEL_NtB6_7Display3fmtCsjrHSEGnQ3l9_3std",
		"<&mut dyn core::panic::PanicPayload as core::fmt::Display>::fmt");
	demangles(
		"_RINvMNtCsgEmfK2I1SDS_4core5sliceSh11copy_withinINtNtNtB5_3ops5range14RangeInclusivejEECsfEOYDRpO4Ta_11miniz_oxide",
		"[u8]::copy_within");
	demangles("_RNvMCs4main_4mainINtB2_3RowAdj4_Klna_TFhEuOxEE3new",
		  "main::Row<[f64; 4], -10, (fn(u8), *mut i64)>::new");
	demangles("_RNvYNtNvXs_C4mainINtB9_3BoxhENtB9_4From4from5ErrorNtB9_5Error4what",
		  "<<main::Box<u8> as main::From>::from::Error as main::Error>::what");
	clears_function("_RNvC4mainB9_", "(as it is)");
	clears_function("_RNvC4main", "(as it is)");
	clears_function("_RNvNvNvB0_1a1b1c", "(as it is)");
	clears_function("_RNvC4main99x", "(as it is)");
	clears_function(
		"_RNvMC4mainRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRR"
		"h1f",
		"(as it is)");
	clears_variable("_ZN4grid5CACHE17hc9aec641dec8d860E", true, "grid::|CACHE");
	clears_variable("_RNvNvC4grid4work5CACHE.0", true, "grid::work::|CACHE");
	shortens("<alloc::vec::Vec<f64> as core::iter::traits::collect::Extend<f64>>::extend",
		 "alloc::vec::Vec::extend");
	shortens("<<main::Box<u8> as main::From>::from::Error as main::Error>::what",
		 "main::Box::from::Error::what");
	shortens("<matrix::Matrix as core::clone::Clone>::clone",
		 "<matrix::Matrix as core::clone::Clone>::clone");
}

int main(void)
{
	of_fortran();
	of_rust();
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
	ok(memphis_is_outlined("main.omp_outlined_debug__"),
	   "the body of a parallel region is known by its name");
	ok(!memphis_is_outlined("main.constprop.0"), "a clone is none");
	return finish();
}
