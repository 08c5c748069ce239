// SPDX-License-Identifier: BSD-3-Clause
/* The variable that a C or C++ statement assigns a block to. If this fails, heap blocks get wrong names. */
#include "source/assigned.h"
#include "../../tap.h"

static const char *assigned(const char *text, const struct memphis_handover *from)
{
	static const char *const kinds[] = {"nothing", "name", "return", "object"};
	static struct memphis_assigned result;
	static char line[400];

	memphis_assigned_find_c(text, from, &result);
	snprintf(line, sizeof(line), "%s %s%s", kinds[result.kind], result.name,
		 result.passed_on ? " passed on" : "");
	return line;
}

static const char *of(const char *text)
{
	return assigned(text, &(const struct memphis_handover){0});
}

/* The block is what `callee` returns, or what `path` leads to from there. */
static const char *call(const char *text, const char *callee, const char *path)
{
	struct memphis_handover from = {0};

	snprintf(from.callee, sizeof(from.callee), "%s", callee);
	snprintf(from.path, sizeof(from.path), "%s", path);
	return assigned(text, &from);
}

static const char *argument(const char *text, const char *callee, unsigned int position, bool by_reference,
			    const char *path)
{
	struct memphis_handover from = {
		.kind = MEMPHIS_HANDS_ARGUMENT, .position = position, .by_reference = by_reference};

	snprintf(from.callee, sizeof(from.callee), "%s", callee);
	snprintf(from.path, sizeof(from.path), "%s", path);
	return assigned(text, &from);
}

static const char *member(const char *text, const char *callee, bool constructor, const char *path)
{
	struct memphis_handover from = {.kind = MEMPHIS_HANDS_OBJECT, .constructor = constructor};

	snprintf(from.callee, sizeof(from.callee), "%s", callee);
	snprintf(from.path, sizeof(from.path), "%s", path);
	return assigned(text, &from);
}

static void plain_c(void)
{
	is_text(of("x = malloc(n);"), "name x", "a variable is named");
	is_text(of("double *x = malloc(n * sizeof(double));"), "name x", "a declared variable is named");
	is_text(of("double *restrict x = (double *)malloc(n);"), "name x", "a cast is skipped");
	is_text(of("p->field = calloc(n, sizeof(*p->field));"), "name p->field",
		"a field through a pointer is named");
	is_text(of("a.b.c = malloc(n);"), "name a.b.c", "a nested field is named");
	is_text(of("(p->field) = malloc(n);"), "name p->field", "brackets around it, as of a macro, are not");
	is_text(of("f(p) = malloc(n);"), "nothing ", "a call is no variable");
	is_text(of("row[i + 1] = malloc(n);"), "name row[]", "an element is named without its index");
	is_text(of("t->rows[f(i)].x = malloc(n);"), "name t->rows[].x", "a field of an element is named");
	is_text(of("a = b = malloc(n);"), "name b", "of two variables, the nearest one is named");
	is_text(of("int n = 3, *x = malloc(n);"), "name x", "the declarator that is initialised is named");
	is_text(of("if (!(x = malloc(n))) return -1;"), "name x", "a variable inside a condition is named");
	is_text(of("return malloc(n);"), "return ", "a returned block is named by the caller");
	is_text(of("return (T *)malloc(n);"), "return ",
		"a returned block with a cast is named by the caller");
	is_text(of("*out = malloc(n);"), "name *out", "a store through a pointer is recognised");
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
	is_text(call("double *y = xmalloc(n);", "xmalloc", ""), "name y",
		"a variable in the caller of a wrapper is named");
	is_text(call("a = f(1); b = xmalloc(n);", "xmalloc", ""), "name b",
		"of two calls, the right one counts");
	is_text(call("a = other(n);", "xmalloc", ""), "nothing ", "a line without the callee names nothing");
	is_text(call("struct array a = make(n);", "make", ".data"), "name a.data",
		"a member of a returned structure is named");
	is_text(call("struct array *a = make(n);", "make", "->data"), "name a->data",
		"a member of a returned object is named");
	is_text(call("return make(n);", "make", "->data"), "return ->data",
		"a caller that returns the object hands on the member");
	is_text(argument("fill(&w, 1000);", "fill", 0, false, "*"), "name w",
		"an argument passed by address is named");
	is_text(argument("rc = fill(ctx, (void **)&s->w[i], n);", "fill", 1, false, "*"), "name s->w[]",
		"a field passed by address is named");
	is_text(argument("fill(w, 1000);", "fill", 0, false, "*"), "name w[]",
		"the first element of an array is named by the array");
	is_text(argument("if (setup(&ocean, n)) return 1;", "setup", 0, false, "->temp"), "name ocean.temp",
		"a member of an object passed by address is named");
	is_text(argument("setup(m->ocean, n);", "setup", 0, false, "->temp"), "name m->ocean->temp",
		"a member of an object to which the argument points is named");
	is_text(argument("setup(grids + i, n);", "setup", 0, false, "->temp"), "nothing ",
		"a computed argument has no name");
	is_text(argument("setup(n, *p);", "setup", 1, true, ".temp"), "name p->temp",
		"an object passed by reference through a pointer is named");
	is_text(argument("setup(f(a, b), ocean);", "setup", 1, true, ""), "name ocean",
		"commas inside an argument do not count");
	is_text(argument("setup(n);", "setup", 1, false, "*"), "nothing ",
		"an argument that the call does not have names nothing");
	is_text(argument("setup(n, *this);", "setup", 1, true, ".temp"), "object .temp",
		"the object whose member function has the statement is handed on");
}

static void passed_on(void)
{
	is_text(of("double *p = check(malloc(n));"), "name p passed on",
		"a block that goes through a check is named");
	is_text(of("s->p = CHK((double *)malloc(n));"), "name s->p passed on",
		"also as a member, with a cast");
	is_text(of("return check(malloc(n), n);"), "return  passed on",
		"a checked block that is returned is named by the caller");
	is_text(of("return (double *)CHK(malloc(n));"), "return  passed on", "also with a cast");
	is_text(of("return std::unique_ptr<double[]>(new double[n]);"), "return  passed on",
		"a returned owner hands on the block");
	is_text(of("return {n, static_cast<double *>(malloc(n))};"), "return #1",
		"a block in a returned structure is named by the caller");
	is_text(of("return array{new double[n], n};"), "return  passed on", "also with the name of its type");
	is_text(of("auto p = std::unique_ptr<double[], Free>{static_cast<double *>(std::malloc(n))};"),
		"name p passed on", "an owner that is initialised with a list is named");
	is_text(of("list.push_back(new double[n]);"), "name list[] passed on",
		"an element that is put into a container is named");
	is_text(of("owner.reset(new double[n]);"), "name owner passed on",
		"an owner that gets another block is named");
	is_text(of("p = n > 0 ? malloc(n) : NULL;"), "name p",
		"a block that depends on a condition is named");
	is_text(of("return n ? malloc(n) : NULL;"), "return ", "also if it is returned");
	is_text(of("ASSERT((p = malloc(n)) != NULL);"), "name p", "an assignment in a macro is named");
	is_text(call("a[i][j].p = std::move(make(n));", "make", ""), "name a[][].p passed on",
		"a moved block is named");
	is_text(call("auto [p, q] = make(n);", "make", ""), "name p|q",
		"all names of a structured binding are named");
}

/* The line table places the call at the first character that equals `mark`. */
static const char *at(const char *text, const char *callee, enum memphis_handover_kind kind, const char *mark)
{
	struct memphis_handover from = {.kind = kind,
					.constructor = kind == MEMPHIS_HANDS_OBJECT,
					.at = (size_t)(strstr(text, mark) - text)};

	snprintf(from.callee, sizeof(from.callee), "%s", callee);
	return assigned(text, &from);
}

static void columns(void)
{
	is_text(at("double *x = malloc(n), *y = malloc(m);", "malloc", MEMPHIS_HANDS_RESULT, "malloc(m)"),
		"name y", "of two calls, that at the column counts");
	is_text(at("x = (double *)malloc(n); y = malloc(m);", "", MEMPHIS_HANDS_RESULT, "malloc(n)"),
		"name x", "also the first one");
	is_text(at("auto [p, q] = std::pair(new double[n], new double[m]);", "operator new",
		   MEMPHIS_HANDS_RESULT, "[m]"),
		"name p|q passed on",
		"which value of a binding it is stays unknown if a function makes them");
	is_text(at("Model(long n) : a(n), b(n + 1) {}", "Array", MEMPHIS_HANDS_OBJECT, "b(n"), "object .b",
		"of two members, that at the column counts");
	is_text(at("Array a(n), b(n);", "Array", MEMPHIS_HANDS_OBJECT, "b(n"), "name b",
		"of two objects, that at the column counts");
}

static void objects_of_members(void)
{
	is_text(member("Array<double> rho(n);", "Array", true, ".data"), "name rho.data",
		"a declared object is named");
	is_text(member("Field rho(n), vel{n};", "Array", true, ".data"), "name rho.data|vel.data",
		"also if the class has another name");
	is_text(member("auto *a = new Array(n);", "Array", true, ".data"), "name a->data",
		"an object made by new is named");
	is_text(member("auto a = Array<double>(n);", "Array", true, ".data"), "name a.data",
		"a copied object is named");
	is_text(member("return Array<double>(n);", "Array", true, ".data"), "return .data",
		"a returned object is named by the caller");
	is_text(member("Model(long n) : wind(n) {}", "Array", true, ".data"), "object .wind.data",
		"a member that is an object is handed on");
	is_text(member("Model(long n) : Base(n), size(n) {}", "Base", true, ".data"), "object .data",
		"the object of a base class is the object itself");
	is_text(member("Model(long n) : a(n), b(n) {}", "Array", true, ".data"), "object .a.data|.b.data",
		"all members that are initialised are handed on");
	is_text(member("a(n), b(n) {}", "Array", true, ".data"), "object .a.data|.b.data",
		"also if the list begins on its own line");
	is_text(member("ocean.allocate(n);", "allocate", false, ".tx"), "name ocean.tx",
		"the object of a member function is named");
	is_text(member("grids[i]->allocate(n);", "allocate", false, ".tx"), "name grids[]->tx",
		"also if it is pointed to");
	is_text(member("allocate(n);", "allocate", false, ".tx"), "object .tx",
		"a member function of the same object hands it on");
	is_text(member("this->allocate(n);", "allocate", false, ".tx"), "object .tx", "also through this");
	is_text(member("get().allocate(n);", "allocate", false, ".tx"), "nothing ",
		"an object that a function returns has no name");
}

static void cplusplus(void)
{
	is_text(of("x = new double[n];"), "name x", "a variable assigned by new is named");
	is_text(of("this->data = new T(a, b);"), "name data", "this-> is left out of the name");
	is_text(of("auto *p = new (std::nothrow) T[n];"), "name p",
		"a variable assigned by placement new is named");
	is_text(call("std::vector<double> field(n, 0.0);", "vector", ""), "name field",
		"a declared container is named");
	is_text(call("std::vector<std::pair<int, int>> field(n);", "vector", ""), "name field",
		"a declared container with nested template arguments is named");
	is_text(call("field.resize(n);", "resize", ""), "name field", "a container that grows is named");
	is_text(call("s->list.push_back(x);", "push_back", ""), "name s->list",
		"a container that grows and is a member is named");
	is_text(call("auto x = std::make_unique<double[]>(n);", "make_unique<double[]>", ""), "name x",
		"a variable assigned by make_unique is named");
	is_text(call("double *x = static_cast<double *>(get(n));", "get", ""), "name x",
		"a static_cast is skipped");
	is_text(of("std::unique_ptr<T> x(new T[n]);"), "name x", "a declared smart pointer is named");
	is_text(call("std::vector<double> copy = x;", "vector", ""), "name copy", "a declared copy is named");
	is_text(of("struct F { double *data; F(size_t n) : data(new double[n]), rest(n) {} };"),
		"object .data", "a member in an initialiser list is named");
	is_text(of("F(size_t n) : first(n, f(1)), data(new double[n]) {}"), "object .data",
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
	is_text(call("x = f(n); y = g(n);", "g", ""), "name y", "calls of other functions do not count");
	is_text(call("std::vector<double> a(n), b(m);", "vector", ""), "name a|b",
		"a constructor may belong to all variables of the declaration");
	is_text(of("T a(new int[3]), b(new int[4]);"), "name a|b",
		"each call belongs to the variable before it");
}

static const char *object(const char *text)
{
	static struct memphis_assigned result;

	memphis_assigned_find_object(text, &result);
	return result.kind == MEMPHIS_ASSIGNED_NAME ? result.name : "";
}

static void objects(void)
{
	is_text(object("std::string text(8000, 'x');"), "text", "a declared string is the object");
	is_text(object("a.b = c;"), "a.b", "the left side of an assignment is the object");
	is_text(object("auto q = f(c);"), "q", "a variable that is initialised by a call is the object");
	is_text(object("if (ok) map.insert(x);"), "map", "the object of a member call is found");
	is_text(object("f(x);"), "", "a plain call has no object");
	is_text(object("for (long i = 0; i < n; i++)\n\tordered[i] = i;"), "ordered[]",
		"a loop's counter is not the object");
	is_text(object("for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) edges.push_back(k);"),
		"edges", "the counters of nested loops are not the object");
	is_text(object("for (auto &row : rows) f(row);"), "", "a loop's variable is not the object");
	is_text(object("for (std::vector<int> x(n); !x.empty();) {"), "x",
		"an object that is declared in a loop's head is found");
	is_text(object("for (int i = 0; i < n; i++) text += 'y';"), "text", "what grows is the object");
	is_text(object("sum += norm(x);"), "",
		"what is called on the right side of += may have objects of its own");
	is_text(object("class F {"), "", "a class is no object");
	is_text(object("std::vector<double> a, b(n), c(m);"), "b|c",
		"a list may begin with a name without arguments");
	is_text(object("std::unique_ptr<T, void (*)(void *)> a(make(n), std::free);"), "a",
		"names in template arguments are not declared");
	is_text(object("std::vector<double> a(n), b(m);"), "a|b",
		"all variables of a declaration are objects");
	is_text(object("auto p = f<int, long>(a, c), q = g();"), "p|q",
		"arguments and template arguments are no variables of the declaration");
}

static bool returns(const char *body, const char *name)
{
	bool inside;

	return memphis_assigned_returns(body, strlen(body), name, &inside) && !inside;
}

static bool returns_inside(const char *body, const char *name)
{
	bool inside;

	return memphis_assigned_returns(body, strlen(body), name, &inside) && inside;
}

static void returned(void)
{
	const char *body = "p = malloc(n);\n\tif (!p)\n\t\tabort(); /* return q; */\n\treturn p;\n}";

	ok(returns(body, "p"), "a returned variable is found");
	ok(!returns(body, "pp"), "another name is not returned");
	ok(returns("return (double *)p;", "p"), "a variable returned with a cast is found");
	ok(returns("return (p);", "p"), "a variable returned in brackets is found");
	ok(!returns("return p->x;", "p"), "a returned member is not the variable");
	ok(!returns("noreturn p;", "p"), "return must be a whole word");
	ok(!returns("return", "p") && !returns("return (", "p"), "a truncated return statement is harmless");
	ok(returns("return ok ? p : NULL;", "p") && !returns("return p ? q : 0;", "p"),
	   "a variable returned under a condition is found");
	ok(returns_inside("return p - low + 1;", "p"), "a block whose indices begin elsewhere is returned");
	ok(returns_inside("return h + 1;", "h") && returns_inside("return (char *)h + 16;", "h") &&
		   returns_inside("return &h[1];", "h"),
	   "an address inside the block is found");
	ok(!returns(body, "q"), "a comment returns nothing");
}

static bool keep_object(void *context, const char *object)
{
	snprintf(context, 64, "%s", object);
	return true;
}

static void copied(void)
{
	char object[64] = "";
	const char *body = "tmp = malloc(n); if (!tmp) return; *out = (double *)tmp; self->x = other;";

	ok(memphis_assigned_find_copy(body, strlen(body), "tmp", keep_object, object),
	   "a copy of the pointer is found");
	is_text(object, "*out", "its place is named");
	ok(!memphis_assigned_find_copy(body, strlen(body), "self", keep_object, object),
	   "a variable that nobody copies has no copy");
	ok(memphis_assigned_changes("for (; p; p = p->next)", 22, "p") &&
		   memphis_assigned_changes("p++;", 4, "p"),
	   "a changed variable is found");
	ok(!memphis_assigned_changes("p->x = 1; q.p = 2; *p = 3; a = p == q;", 38, "p"),
	   "a member and what it points to are not the variable");
}

int main(void)
{
	plain_c();
	callers();
	passed_on();
	columns();
	objects_of_members();
	cplusplus();
	several();
	objects();
	returned();
	copied();
	return finish();
}
