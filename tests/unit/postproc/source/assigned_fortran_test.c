// SPDX-License-Identifier: BSD-3-Clause
/* The objects that a Fortran statement allocates. If this fails, allocatables get wrong names. */
#include <stdlib.h>

#include "source/assigned.h"
#include "../../tap.h"

static const char *objects(const char *text)
{
	static char line[1024];
	char *names[8];
	bool is_allocate;
	size_t count = memphis_assigned_fortran(text, &is_allocate, names, 8), i;

	strcpy(line, is_allocate ? "allocate" : "");
	for (i = 0; i < count; i++) {
		strcat(strcat(line, " "), names[i]);
		free(names[i]);
	}
	return line;
}

static void suffixes(void)
{
	bool fixed;

	ok(memphis_is_fortran_path("/a/b.F90", &fixed) && !fixed, ".F90 is free form");
	ok(memphis_is_fortran_path("b.f", &fixed) && fixed, ".f is fixed form");
	ok(!memphis_is_fortran_path("b.c", &fixed) && !memphis_is_fortran_path("f90", &fixed),
	   ".c is not Fortran");
}

int main(void)
{
	is_text(objects("allocate(tx(n,m))"), "allocate tx", "a single object is found");
	is_text(objects("  ALLOCATE ( Tx(nx_block, ny_block, size(a, 1)), ty(n) )"), "allocate tx ty",
		"several objects are found, with any case and blanks");
	is_text(objects("allocate(grid%tx(n), blk(i)%p(1:n), s)"), "allocate grid%tx blk%p s",
		"components are named without subscripts");
	is_text(objects("allocate(a(n), stat=ierr, errmsg = text)"), "allocate a",
		"stat= and errmsg= are no objects");
	is_text(objects("allocate(b, source=f(x, y))"), "allocate b", "source= is no object");
	is_text(objects("allocate(real(8) :: c(n), d(n))"), "allocate c d", "a type may precede the objects");
	is_text(objects("allocate(character(len=n) :: text)"), "allocate text",
		"a character length may precede the objects");
	is_text(objects("if (.not. allocated(x)) allocate(x(0:n+1))"), "allocate x",
		"a condition may precede the statement");
	is_text(objects("allocate(a(n)); allocate(b(n), c(n))"), "allocate a b c",
		"several statements on a line are found");
	is_text(objects("print *, 'allocate(q(n))'; allocate(r(n))"), "allocate r",
		"a statement inside a string is ignored");
	is_text(objects("deallocate(x)"), "", "DEALLOCATE allocates nothing");
	is_text(objects("x = y + z"), " x", "an assignment to a whole variable may allocate it");
	is_text(objects("s%x = y"), " s%x", "an assignment to a whole component may allocate it");
	is_text(objects("x(:) = y + z"), "", "an assignment to a section allocates nothing");
	is_text(objects("if (a == b) call f(c)"), "", "a comparison is no assignment");
	is_text(objects("p => q"), "", "a pointer assignment allocates nothing");
	is_text(objects("allocate(x(n"), "allocate x", "a truncated statement is harmless");
	is_text(objects("allocate("), "allocate",
		"a statement that is truncated before its objects is harmless");
	suffixes();
	return finish();
}
