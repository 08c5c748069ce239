// SPDX-License-Identifier: BSD-3-Clause
/* If this fails, allocatables get wrong names. */
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
	   ".c is no Fortran");
}

int main(void)
{
	is_text(objects("allocate(tx(n,m))"), "allocate tx", "one object");
	is_text(objects("  ALLOCATE ( Tx(nx_block, ny_block, size(a, 1)), ty(n) )"), "allocate tx ty",
		"several objects, whatever the case and blanks");
	is_text(objects("allocate(grid%tx(n), blk(i)%p(1:n), s)"), "allocate grid%tx blk%p s",
		"components, without subscripts");
	is_text(objects("allocate(a(n), stat=ierr, errmsg = text)"), "allocate a",
		"stat= and errmsg= are no objects");
	is_text(objects("allocate(b, source=f(x, y))"), "allocate b", "source= is no object");
	is_text(objects("allocate(real(8) :: c(n), d(n))"), "allocate c d",
		"a type may stand before the objects");
	is_text(objects("allocate(character(len=n) :: text)"), "allocate text",
		"a character length may stand before them");
	is_text(objects("if (.not. allocated(x)) allocate(x(0:n+1))"), "allocate x", "after a condition");
	is_text(objects("allocate(a(n)); allocate(b(n), c(n))"), "allocate a b c",
		"several statements on a line");
	is_text(objects("print *, 'allocate(q(n))'; allocate(r(n))"), "allocate r", "not inside a string");
	is_text(objects("deallocate(x)"), "", "DEALLOCATE allocates nothing");
	is_text(objects("x = y + z"), " x", "assignment to a whole variable");
	is_text(objects("s%x = y"), " s%x", "assignment to a whole component");
	is_text(objects("x(:) = y + z"), "", "assignment to a section allocates no x");
	is_text(objects("if (a == b) call f(c)"), "", "a comparison is no assignment");
	is_text(objects("p => q"), "", "a pointer assignment allocates nothing");
	is_text(objects("allocate(x(n"), "allocate x", "a statement that is cut off does no harm");
	is_text(objects("allocate("), "allocate", "nor an empty one");
	suffixes();
	return finish();
}
