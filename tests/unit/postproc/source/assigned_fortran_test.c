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
	size_t count = memphis_assigned_find_fortran(text, &is_allocate, names, 8), i;

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

/* The object that the statement hands to `callee`, or gets from it. */
static const char *handed(const char *text, const char *callee, enum memphis_handover_kind kind,
			  unsigned int position, const char *path)
{
	struct memphis_handover from = {
		.kind = kind, .position = position, .keyword = "p", .by_reference = true};
	static char result[128];
	char *name;

	snprintf(from.callee, sizeof(from.callee), "%s", callee);
	snprintf(from.path, sizeof(from.path), "%s", path);
	memphis_assigned_find_fortran_call(text, &from, &name);
	snprintf(result, sizeof(result), "%s", name ? name : "none");
	free(name);
	return result;
}

static const char *dummy(const char *text, unsigned int position, const char *path)
{
	return handed(text, "make", MEMPHIS_HANDS_ARGUMENT, position, path);
}

static void calls(void)
{
	is_text(dummy("call make(n, Heat)", 1, ""), "heat", "an actual argument is found by its position");
	is_text(dummy("if (ok) call make(p=heat, m=n)", 0, ""), "heat", "and by its keyword");
	is_text(dummy("call make(n=3, p = grid%heat(:))", 0, ""), "grid%heat", "in any order");
	is_text(dummy("call make(n)", 1, ""), "none", "an absent argument names nothing");
	is_text(dummy("call make(n + 1, f(a, b), c)", 2, "%u"), "c%u", "brackets in arguments are skipped");
	is_text(dummy("call make(a * 2)", 0, ""), "none", "an expression is no object");
	is_text(dummy("call one%make(n)", 0, "%a"), "one%a",
		"the object of a type-bound procedure is its first argument");
	is_text(dummy("call many(2)%field%make(n, x)", 0, "%a"), "many(2)%field%a",
		"also as a component of an element");
	is_text(dummy("call many(i)%make(n, x)", 2, ""), "x", "and the others follow it");
	is_text(dummy("call many(i)%init(n, x)", 0, "%a"), "many%a",
		"a procedure may be bound to another name");
	is_text(dummy("call create(x)", 0, ""), "x", "or have a generic name");
	is_text(dummy("print *, 'call make(x)'", 0, ""), "none", "a string calls nothing");
	is_text(handed("head => create(n)", "create", MEMPHIS_HANDS_RESULT, 0, ""), "head",
		"the pointer that gets the result is found");
	is_text(handed("g%u(1:n) = create(n)", "create", MEMPHIS_HANDS_RESULT, 0, ""), "g%u",
		"and the variable that it is assigned to");
	is_text(handed("s = total(x) + create(n)", "create", MEMPHIS_HANDS_RESULT, 0, "%a"), "s%a",
		"with the path from there");
	is_text(handed("s = vector(n)", "create", MEMPHIS_HANDS_RESULT, 0, "%a"), "s%a",
		"by a generic name, too");
	is_text(handed("head => list%make(n)", "create", MEMPHIS_HANDS_RESULT, 0, ""), "head",
		"or that of a type-bound function");
	is_text(handed("s = 2 * vector(n)", "create", MEMPHIS_HANDS_RESULT, 0, "%a"), "none",
		"an operation may be another function");
	is_text(handed("s = other", "create", MEMPHIS_HANDS_RESULT, 0, "%a"), "none", "a name calls nothing");
	is_text(handed("call use(create(n))", "create", MEMPHIS_HANDS_RESULT, 0, ""), "none",
		"an argument gets no name");
}

static const char *copied(const char *text, const char *name)
{
	static char result[128];
	char *copy = memphis_assigned_find_fortran_copy(text, name);

	snprintf(result, sizeof(result), "%s", copy ? copy : "none");
	free(copy);
	return result;
}

static void copies(void)
{
	is_text(copied("call move_alloc(tmp, Moved)", "tmp"), "moved", "the target of MOVE_ALLOC is found");
	is_text(copied("call move_alloc(from=tmp, to=self%a)", "tmp"), "none",
		"keywords of the source are not read");
	is_text(copied("call move_alloc(tmp, to=self%a)", "tmp"), "self%a", "that of the target is");
	is_text(copied("call c_f_pointer(raw, view, [n])", "raw"), "view",
		"the pointer of C_F_POINTER is found");
	is_text(copied("self%data => tmp", "tmp"), "self%data", "a pointer assignment is found");
	is_text(copied("view(0:n) => tmp", "tmp"), "view", "also with bounds");
	is_text(copied("other => tmp2", "tmp"), "none", "another target is none");
	is_text(copied("x = tmp", "tmp"), "none", "an assignment copies the values only");
}

/* What the variable is to the procedure `make`, with the position of a dummy argument. */
static const char *role(const char *text, const char *name)
{
	static const char *const names[] = {[MEMPHIS_FORTRAN_OUTSIDE] = "outside",
					    [MEMPHIS_FORTRAN_LOCAL] = "local",
					    [MEMPHIS_FORTRAN_RESULT] = "result",
					    [MEMPHIS_FORTRAN_DUMMY] = "dummy"};
	static char result[32];
	unsigned int position = 0;
	const enum memphis_fortran_role found = memphis_fortran_role_find(text, "make", name, &position);

	snprintf(result, sizeof(result), "%s%.0u", names[found],
		 found == MEMPHIS_FORTRAN_DUMMY ? position : 0);
	return result;
}

static void roles(void)
{
	is_text(role("pure function make(m) result(q)", "q"), "result", "a named result is found");
	is_text(role("real(8) function make(m)", "make"), "result", "the function's own name is its result");
	is_text(role("function make(m) result(q)", "m"), "dummy", "an argument is a dummy argument");
	is_text(role("subroutine make(m,  Left , right)", "left"), "dummy1",
		"that of a subroutine has its position");
	is_text(role("recursive subroutine make(m, left, right)", "right"), "dummy2",
		"the last one is found, too");
	is_text(role("subroutine make(m, left)", "lef"), "local", "another variable is the procedure's own");
	is_text(role("subroutine make", "m"), "local", "so are all if there are no arguments");
	is_text(role("end function make", "make"), "outside", "the end of a function does not begin it");
	is_text(role("subroutine maker(m)", "m"), "outside", "nor does another procedure");
}

int main(void)
{
	roles();
	calls();
	copies();
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
