// SPDX-License-Identifier: BSD-3-Clause
/* If this fails, malloc'ed blocks get wrong names. */
#include "assigned.h"
#include "tap.h"

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
	is(of("x = malloc(n);"), "name x", "a variable");
	is(of("double *x = malloc(n * sizeof(double));"), "name x", "a declaration");
	is(of("double *restrict x = (double *)malloc(n);"), "name x", "a cast is passed over");
	is(of("p->field = calloc(n, sizeof(*p->field));"), "name p->field", "a field through a pointer");
	is(of("a.b.c = malloc(n);"), "name a.b.c", "a nested field");
	is(of("row[i + 1] = malloc(n);"), "name row[]", "an element, without its index");
	is(of("t->rows[f(i)].x = malloc(n);"), "name t->rows[].x", "a field of an element");
	is(of("a = b = malloc(n);"), "name b", "the nearest of two");
	is(of("int n = 3, *x = malloc(n);"), "name x", "the declarator that is initialised");
	is(of("if (!(x = malloc(n))) return -1;"), "name x", "inside a condition");
	is(of("return malloc(n);"), "return ", "a returned block is named by the caller");
	is(of("return (T *)malloc(n);"), "return ", "with a cast too");
	is(of("*out = malloc(n);"), "deref out", "stored through a pointer");
	is(of("double **x = malloc(n);"), "name x", "a pointer to pointers is declared, not followed");
	is(of("f(malloc(n));"), "nothing ", "an argument has no name");
	is(of("malloc(n);"), "nothing ", "nor has a dropped result");
	is(of("posix_memalign((void **)&buf, 64, n);"), "name buf", "posix_memalign tells it by address");
	is(of("if (posix_memalign((void **)&s->buf, 64, n)) abort();"), "name s->buf", "a field by address");
	is(of("x = ALLOC(double, n);"), "name x", "a macro");
	is(of("T *get(int n) { return (T *)malloc(n); }"), "return ", "a whole function on a line");
	is(of("x == y;"), "nothing ", "a comparison is no assignment");
	is(of(""), "nothing ", "nothing at all");
	is(of("char *s = \"a = malloc(\"; x = malloc(1);"), "name x", "not inside a string");
}

static void callers(void)
{
	is(call("double *y = xmalloc(n);", "xmalloc"), "name y", "the caller of a wrapper");
	is(call("a = f(1); b = xmalloc(n);", "xmalloc"), "name b", "the right one of two calls");
	is(call("a = other(n);", "xmalloc"), "nothing ", "the callee is not on this line");
	is(assigned("fill(&w, 1000);", "fill", true), "name w", "the argument whose address was passed");
	is(assigned("rc = fill(ctx, &s->w[i], n);", "fill", true), "name s->w[]", "a field by address");
	is(assigned("fill(w, 1000);", "fill", true), "nothing ", "no address was passed");
}

static void cplusplus(void)
{
	is(of("x = new double[n];"), "name x", "new");
	is(of("this->data = new T(a, b);"), "name data", "this-> is left out");
	is(of("auto *p = new (std::nothrow) T[n];"), "name p", "new with arguments");
	is(call("std::vector<double> field(n, 0.0);", "vector"), "name field", "a container is declared");
	is(call("std::vector<std::pair<int, int>> field(n);", "vector"), "name field",
	   "nested template arguments");
	is(call("field.resize(n);", "resize"), "name field", "a container grows");
	is(call("s->list.push_back(x);", "push_back"), "name s->list", "a member container grows");
	is(call("auto x = std::make_unique<double[]>(n);", "make_unique<double[]>"), "name x", "make_unique");
	is(call("double *x = static_cast<double *>(get(n));", "get"), "name x", "static_cast is passed over");
	is(of("std::unique_ptr<T> x(new T[n]);"), "name x", "a smart pointer is declared");
	is(call("std::vector<double> copy = x;", "vector"), "name copy", "a copy is declared");
	is(of("struct F { double *data; F(size_t n) : data(new double[n]), rest(n) {} };"), "name data",
	   "a member is initialised");
	is(of("F(size_t n) : first(n, f(1)), data(new double[n]) {}"), "name data", "the second one too");
	is(of("f(a, new double[n]);"), "nothing ", "an argument is no member");
	is(of("x ? f(1) : g(2), h(new T);"), "nothing ", "nor is an operand");
}

static const char *object(const char *text)
{
	static struct memphis_assigned result;

	memphis_assigned_object(text, &result);
	return result.kind == MEMPHIS_ASSIGNED_NAME ? result.name : "";
}

static void objects(void)
{
	is(object("std::string text(8000, 'x');"), "text", "a string is declared");
	is(object("a.b = c;"), "a.b", "assignment to a container");
	is(object("auto q = f(c);"), "q", "initialisation from a call");
	is(object("if (ok) map.insert(x);"), "map", "a member call");
	is(object("f(x);"), "", "a plain call has no object");
	is(object("class F {"), "", "a class is no object");
}

static void returned(void)
{
	const char *body = "p = malloc(n);\n\tif (!p)\n\t\tabort();\n\treturn p;\n}";

	ok(memphis_assigned_returns(body, strlen(body), "p"), "return p;");
	ok(!memphis_assigned_returns(body, strlen(body), "pp"), "not another name");
	ok(memphis_assigned_returns("return (double *)p;", 19, "p"), "with a cast");
	ok(memphis_assigned_returns("return (p);", 11, "p"), "in brackets");
	ok(!memphis_assigned_returns("return p->x;", 12, "p"), "a member of it is something else");
	ok(!memphis_assigned_returns("noreturn p;", 11, "p"), "return is a whole word");
	ok(!memphis_assigned_returns("return", 6, "p") && !memphis_assigned_returns("return (", 8, "p"),
	   "text that is cut off does no harm");
}

int main(void)
{
	plain_c();
	callers();
	cplusplus();
	objects();
	returned();
	return tap_done();
}
