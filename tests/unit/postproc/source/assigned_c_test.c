// SPDX-License-Identifier: BSD-3-Clause
/* If this fails, malloc'ed blocks get wrong names. */
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
	is_text(of("x = malloc(n);"), "name x", "a variable");
	is_text(of("double *x = malloc(n * sizeof(double));"), "name x", "a declaration");
	is_text(of("double *restrict x = (double *)malloc(n);"), "name x", "a cast is passed over");
	is_text(of("p->field = calloc(n, sizeof(*p->field));"), "name p->field", "a field through a pointer");
	is_text(of("a.b.c = malloc(n);"), "name a.b.c", "a nested field");
	is_text(of("row[i + 1] = malloc(n);"), "name row[]", "an element, without its index");
	is_text(of("t->rows[f(i)].x = malloc(n);"), "name t->rows[].x", "a field of an element");
	is_text(of("a = b = malloc(n);"), "name b", "the nearest of two");
	is_text(of("int n = 3, *x = malloc(n);"), "name x", "the declarator that is initialised");
	is_text(of("if (!(x = malloc(n))) return -1;"), "name x", "inside a condition");
	is_text(of("return malloc(n);"), "return ", "a returned block is named by the caller");
	is_text(of("return (T *)malloc(n);"), "return ", "with a cast too");
	is_text(of("*out = malloc(n);"), "deref out", "stored through a pointer");
	is_text(of("double **x = malloc(n);"), "name x", "a pointer to pointers is declared, not followed");
	is_text(of("f(malloc(n));"), "nothing ", "an argument has no name");
	is_text(of("malloc(n);"), "nothing ", "nor has a dropped result");
	is_text(of("posix_memalign((void **)&buf, 64, n);"), "name buf",
		"posix_memalign tells it by address");
	is_text(of("if (posix_memalign((void **)&s->buf, 64, n)) abort();"), "name s->buf",
		"a field by address");
	is_text(of("x = ALLOC(double, n);"), "name x", "a macro");
	is_text(of("T *get(int n) { return (T *)malloc(n); }"), "return ", "a whole function on a line");
	is_text(of("x == y;"), "nothing ", "a comparison is no assignment");
	is_text(of(""), "nothing ", "nothing at all");
	is_text(of("char *s = \"a = malloc(\"; x = malloc(1);"), "name x", "not inside a string");
}

static void callers(void)
{
	is_text(call("double *y = xmalloc(n);", "xmalloc"), "name y", "the caller of a wrapper");
	is_text(call("a = f(1); b = xmalloc(n);", "xmalloc"), "name b", "the right one of two calls");
	is_text(call("a = other(n);", "xmalloc"), "nothing ", "the callee is not on this line");
	is_text(assigned("fill(&w, 1000);", "fill", true), "name w", "the argument whose address was passed");
	is_text(assigned("rc = fill(ctx, &s->w[i], n);", "fill", true), "name s->w[]", "a field by address");
	is_text(assigned("fill(w, 1000);", "fill", true), "nothing ", "no address was passed");
}

static void cplusplus(void)
{
	is_text(of("x = new double[n];"), "name x", "new");
	is_text(of("this->data = new T(a, b);"), "name data", "this-> is left out");
	is_text(of("auto *p = new (std::nothrow) T[n];"), "name p", "new with arguments");
	is_text(call("std::vector<double> field(n, 0.0);", "vector"), "name field",
		"a container is declared");
	is_text(call("std::vector<std::pair<int, int>> field(n);", "vector"), "name field",
		"nested template arguments");
	is_text(call("field.resize(n);", "resize"), "name field", "a container grows");
	is_text(call("s->list.push_back(x);", "push_back"), "name s->list", "a member container grows");
	is_text(call("auto x = std::make_unique<double[]>(n);", "make_unique<double[]>"), "name x",
		"make_unique");
	is_text(call("double *x = static_cast<double *>(get(n));", "get"), "name x",
		"static_cast is passed over");
	is_text(of("std::unique_ptr<T> x(new T[n]);"), "name x", "a smart pointer is declared");
	is_text(call("std::vector<double> copy = x;", "vector"), "name copy", "a copy is declared");
	is_text(of("struct F { double *data; F(size_t n) : data(new double[n]), rest(n) {} };"), "name data",
		"a member is initialised");
	is_text(of("F(size_t n) : first(n, f(1)), data(new double[n]) {}"), "name data",
		"the second one too");
	is_text(of("f(a, new double[n]);"), "nothing ", "an argument is no member");
	is_text(of("x ? f(1) : g(2), h(new T);"), "nothing ", "nor is an operand");
}

static const char *object(const char *text)
{
	static struct memphis_assigned result;

	memphis_assigned_object(text, &result);
	return result.kind == MEMPHIS_ASSIGNED_NAME ? result.name : "";
}

static void objects(void)
{
	is_text(object("std::string text(8000, 'x');"), "text", "a string is declared");
	is_text(object("a.b = c;"), "a.b", "assignment to a container");
	is_text(object("auto q = f(c);"), "q", "initialisation from a call");
	is_text(object("if (ok) map.insert(x);"), "map", "a member call");
	is_text(object("f(x);"), "", "a plain call has no object");
	is_text(object("class F {"), "", "a class is no object");
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
	return finish();
}
