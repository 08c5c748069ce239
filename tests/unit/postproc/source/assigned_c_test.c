// SPDX-License-Identifier: BSD-3-Clause
/* The variable that a C or C++ statement assigns a block to. If this fails, heap blocks get wrong names. */
#include "source/assigned.h"
#include "../../tap.h"

static const char *assigned(const char *text, const char *callee, bool by_address)
{
	static const char *const kinds[] = {"nothing", "name", "return", "deref"};
	static struct memphis_assigned result;
	static char line[400];

	memphis_assigned_c(text, callee, by_address, &result);
	snprintf(line, sizeof(line), "%s %s", kinds[result.kind], result.name);
	return line;
}

static const char *of(const char *text)
{
	return assigned(text, NULL, false);
}

static const char *call(const char *text, const char *callee)
{
	return assigned(text, callee, false);
}

static void plain_c(void)
{
	is_text(of("x = malloc(n);"), "name x", "a variable is named");
	is_text(of("double *x = malloc(n * sizeof(double));"), "name x", "a declared variable is named");
	is_text(of("double *restrict x = (double *)malloc(n);"), "name x", "a cast is skipped");
	is_text(of("p->field = calloc(n, sizeof(*p->field));"), "name p->field",
		"a field through a pointer is named");
	is_text(of("a.b.c = malloc(n);"), "name a.b.c", "a nested field is named");
	is_text(of("row[i + 1] = malloc(n);"), "name row[]", "an element is named without its index");
	is_text(of("t->rows[f(i)].x = malloc(n);"), "name t->rows[].x", "a field of an element is named");
	is_text(of("a = b = malloc(n);"), "name b", "of two variables, the nearest one is named");
	is_text(of("int n = 3, *x = malloc(n);"), "name x", "the declarator that is initialised is named");
	is_text(of("if (!(x = malloc(n))) return -1;"), "name x", "a variable inside a condition is named");
	is_text(of("return malloc(n);"), "return ", "a returned block is named by the caller");
	is_text(of("return (T *)malloc(n);"), "return ",
		"a returned block with a cast is named by the caller");
	is_text(of("*out = malloc(n);"), "deref out", "a store through a pointer is recognised");
	is_text(of("double **x = malloc(n);"), "name x",
		"a declaration of a pointer to pointers is no store through a pointer");
	is_text(of("f(malloc(n));"), "nothing ", "a block that is an argument has no name");
	is_text(of("malloc(n);"), "nothing ", "a block whose address is dropped has no name");
	is_text(of("void setup(int n) { malloc(n); }"), "nothing ",
		"a block has not the name of the function that makes it");
	is_text(of("static __attribute__((noinline)) void setup(int n) { malloc(n); }"), "nothing ",
		"nor is it called __attribute__");
	is_text(of("static __attribute__((unused)) double *x = malloc(n);"), "name x",
		"a variable with an attribute is named");
	is_text(of("posix_memalign((void **)&buf, 64, n);"), "name buf",
		"a variable that posix_memalign gets by address is named");
	is_text(of("if (posix_memalign((void **)&s->buf, 64, n)) abort();"), "name s->buf",
		"a field that posix_memalign gets by address is named");
	is_text(of("x = size(n), y = pvalloc(n);"), "name y", "pvalloc is recognised among other calls");
	is_text(of("x = ALLOC(double, n);"), "name x", "a variable assigned by a macro is named");
	is_text(of("T *get(int n) { return (T *)malloc(n); }"), "return ",
		"a return in a function on one line is recognised");
	is_text(of("f->new = malloc(n);"), "name f->new", "in C, a member may be called new");
	is_text(of("double *new = malloc(n), *old = malloc(n);"), "name new|old",
		"in C, a variable may be called new");
	is_text(of("new[i] = malloc(n);"), "name new[]", "an element of a variable called new is named");
	is_text(of("x == y;"), "nothing ", "a comparison is no assignment");
	is_text(of(""), "nothing ", "an empty statement assigns nothing");
	is_text(of("char *s = \"a = malloc(\"; x = malloc(1);"), "name x",
		"an assignment inside a string is ignored");
}

static void callers(void)
{
	is_text(call("double *y = xmalloc(n);", "xmalloc"), "name y",
		"a variable in the caller of a wrapper is named");
	is_text(call("a = f(1); b = xmalloc(n);", "xmalloc"), "name b", "of two calls, the right one counts");
	is_text(call("a = other(n);", "xmalloc"), "nothing ", "a line without the callee names nothing");
	is_text(assigned("fill(&w, 1000);", "fill", true), "name w",
		"an argument passed by address is named");
	is_text(assigned("rc = fill(ctx, &s->w[i], n);", "fill", true), "name s->w[]",
		"a field passed by address is named");
	is_text(assigned("fill(w, 1000);", "fill", true), "nothing ",
		"an argument passed by value is not named");
}

static void cplusplus(void)
{
	is_text(of("x = new double[n];"), "name x", "a variable assigned by new is named");
	is_text(of("this->data = new T(a, b);"), "name data", "this-> is left out of the name");
	is_text(of("auto *p = new (std::nothrow) T[n];"), "name p",
		"a variable assigned by placement new is named");
	is_text(call("std::vector<double> field(n, 0.0);", "vector"), "name field",
		"a declared container is named");
	is_text(call("std::vector<std::pair<int, int>> field(n);", "vector"), "name field",
		"a declared container with nested template arguments is named");
	is_text(call("field.resize(n);", "resize"), "name field", "a container that grows is named");
	is_text(call("s->list.push_back(x);", "push_back"), "name s->list",
		"a container that grows and is a member is named");
	is_text(call("auto x = std::make_unique<double[]>(n);", "make_unique<double[]>"), "name x",
		"a variable assigned by make_unique is named");
	is_text(call("double *x = static_cast<double *>(get(n));", "get"), "name x",
		"a static_cast is skipped");
	is_text(of("std::unique_ptr<T> x(new T[n]);"), "name x", "a declared smart pointer is named");
	is_text(call("std::vector<double> copy = x;", "vector"), "name copy", "a declared copy is named");
	is_text(of("struct F { double *data; F(size_t n) : data(new double[n]), rest(n) {} };"), "name data",
		"a member in an initialiser list is named");
	is_text(of("F(size_t n) : first(n, f(1)), data(new double[n]) {}"), "name data",
		"the second member in an initialiser list is named");
	is_text(of("f(a, new double[n]);"), "nothing ", "an argument of a call is no member");
	is_text(of("x ? f(1) : g(2), h(new T);"), "nothing ", "an operand of ?: is no member");
}

static void several(void)
{
	is_text(of("x = malloc(n); y = malloc(m);"), "name x|y",
		"all variables of a line with several calls are named");
	is_text(of("double *x = malloc(n), *y = malloc(m), *z = calloc(n, 1);"), "name x|y|z",
		"all variables of a declaration with several calls are named");
	is_text(of("x = malloc(n); x = realloc(x, m);"), "name x",
		"one variable with several calls is named once");
	is_text(call("x = f(n); y = g(n);", "g"), "name y", "calls of other functions do not count");
	is_text(call("std::vector<double> a(n), b(m);", "vector"), "name a|b",
		"a constructor may belong to all variables of the declaration");
	is_text(of("T a(new int[3]), b(new int[4]);"), "name a|b",
		"each call belongs to the variable before it");
}

static const char *object(const char *text)
{
	static struct memphis_assigned result;

	memphis_assigned_object(text, &result);
	return result.kind == MEMPHIS_ASSIGNED_NAME ? result.name : "";
}

static void objects(void)
{
	is_text(object("std::string text(8000, 'x');"), "text", "a declared string is the object");
	is_text(object("a.b = c;"), "a.b", "the left side of an assignment is the object");
	is_text(object("auto q = f(c);"), "q", "a variable that is initialised by a call is the object");
	is_text(object("if (ok) map.insert(x);"), "map", "the object of a member call is found");
	is_text(object("f(x);"), "", "a plain call has no object");
	is_text(object("class F {"), "", "a class is no object");
	is_text(object("std::vector<double> a(n), b(m);"), "a|b",
		"all variables of a declaration are objects");
	is_text(object("auto p = f<int, long>(a, c), q = g();"), "p|q",
		"arguments and template arguments are no variables of the declaration");
}

static void returned(void)
{
	const char *body = "p = malloc(n);\n\tif (!p)\n\t\tabort();\n\treturn p;\n}";

	ok(memphis_assigned_returns(body, strlen(body), "p"), "a returned variable is found");
	ok(!memphis_assigned_returns(body, strlen(body), "pp"), "another name is not returned");
	ok(memphis_assigned_returns("return (double *)p;", 19, "p"),
	   "a variable returned with a cast is found");
	ok(memphis_assigned_returns("return (p);", 11, "p"), "a variable returned in brackets is found");
	ok(!memphis_assigned_returns("return p->x;", 12, "p"), "a returned member is not the variable");
	ok(!memphis_assigned_returns("noreturn p;", 11, "p"), "return must be a whole word");
	ok(!memphis_assigned_returns("return", 6, "p") && !memphis_assigned_returns("return (", 8, "p"),
	   "a truncated return statement is harmless");
}

int main(void)
{
	plain_c();
	callers();
	cplusplus();
	several();
	objects();
	returned();
	return finish();
}
