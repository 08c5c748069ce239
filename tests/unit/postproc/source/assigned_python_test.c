// SPDX-License-Identifier: BSD-3-Clause
/* The variable that gets the object of an expression of Python. If this fails, arrays of numpy get wrong names, or lose them. */
#include <stdlib.h>
#include <string.h>

#include "source/assigned.h"
#include "../../tap.h"

static const char *other; /* an expression that has allocated memory, or NULL */
static struct memphis_source_file file;

/* Returns the expression between the marks « and » of the text, which are removed from it. */
static struct memphis_python_expression read_text(const char *text)
{
	static char room[2000];
	static size_t lines[1];
	const char *from = strstr(text, "«"), *to = strstr(text, "»");

	snprintf(room, sizeof(room), "%.*s%.*s%s", (int)(from - text), text, (int)(to - from) - 2, from + 2,
		 to + 2);
	file = (struct memphis_source_file){
		.path = "a.py", .text = room, .bytes = strlen(room), .lines = lines, .line_count = 1};
	return (struct memphis_python_expression){room + (from - text), room + (to - text) - 2};
}

static bool find_other(void *context, const struct memphis_python_expression *value)
{
	const char *at = other ? strstr(file.text, other) : NULL;

	(void)context;
	return at && at >= value->from && at + strlen(other) <= value->to;
}

/* Analyses the expression between the marks. */
static const char *of(const char *text)
{
	static const char *const kinds[] = {"nothing", "name", "return", "object"};
	const struct memphis_python_expression expression = read_text(text);
	static char line[400];
	struct memphis_assigned result;

	memphis_assigned_find_python(&file, &expression, find_other, NULL, &result);
	snprintf(line, sizeof(line), "%s %s", kinds[result.kind], result.name);
	return line;
}

static bool returns(const char *text, const char *function, const char *name)
{
	const struct memphis_python_expression expression = read_text(text);

	return memphis_assigned_python_returns(&file, &expression, function, name, find_other, NULL);
}

static void test_targets(void)
{
	is_text(of("a = «np.zeros(n)»\n"), "name a", "a variable is named");
	is_text(of("self.heat = «np.zeros(n)»  # = b\n"), "name self.heat", "an attribute is named");
	is_text(of("self.f['heat'] = «np.zeros(n)»"), "name self.f['heat']",
		"a value of a dictionary is named");
	is_text(of("a: Array = «np.zeros(n)»"), "name a", "an annotation is no part of the name");
	is_text(of("a = (  # )\n    «np.zeros(\n        n)»)\nb = 1\n"), "name a",
		"brackets continue a line");
	is_text(of("a = \\\n «np.zeros(n)»"), "name a", "a backslash does, too");
	is_text(of("s = '''\na = «'''; b = np.zeros(n)»"), "nothing ", "a string is no statement");
	is_text(of("if x: a = «np.zeros(n)»"), "name a", "a statement may follow its condition");
	is_text(of("b = 1; a = «np.zeros(n)»; c = 2"), "name a", "or another statement");
	is_text(of("a, self.b = np.ones(n), «np.zeros(n)»"), "name self.b",
		"of several targets, one gets the value");
	is_text(of("«a += x»\n"), "name a", "what an operator puts into the variable is named");
	is_text(of("a += «f(x)»\n"), "nothing ", "its operand is not");
	is_text(of("a[:] = «np.zeros(n)»"), "nothing ", "an array gets a copy");
	is_text(of("a[i] = «np.zeros(n)»"), "nothing ", "an element may be one");
	is_text(of("a = b = «np.zeros(n)»"), "nothing ", "an object with two names has none");
	is_text(of("a, b = «f(n)»"), "nothing ", "a list that is taken apart has none");
	is_text(of("*a, b = x, «f(n)»"), "nothing ", "positions behind a star are unknown");
	is_text(of("«f(n)»"), "nothing ", "nor does a call without assignment give one");
	is_text(of("a = f(b=«np.zeros(n)»)"), "nothing ", "or an argument get one");
	is_text(of("import «numpy»"), "nothing ", "or a module");
}

static void test_values(void)
{
	is_text(of("a = [«np.zeros(n)» for i in range(3)]"), "name a", "elements of a list belong to it");
	is_text(of("a = [x, «np.zeros(n)»]"), "name a", "however it is written");
	is_text(of("a = {'x': 1, 'heat': «np.zeros(n)»}"), "name a['heat']", "a key identifies a value");
	is_text(of("a = {'x': {'y': «np.zeros(n)»}}"), "name a['x']['y']", "so do several");
	is_text(of("a = {k: «np.zeros(n)» for k in names}"), "name a", "a key that changes does not");
	is_text(of("a = «f(n)» if n else None"), "name a", "a value may depend on a condition");
	is_text(of("a = b or «f(n)»"), "name a", "or on another one");
	is_text(of("a = «f(n)» < 3"), "nothing ", "a comparison yields another object");
	is_text(of("a = lambda: «f(n)»"), "nothing ", "a function is not called yet");
	is_text(of("a = g(«f(n)»)"), "nothing ", "a function may do anything with its argument");
	is_text(of("a = «f(n)»[3]"), "nothing ", "an element is another object");
	is_text(of("a = «f(n)» @ b"), "nothing ", "so is a product of matrices");
}

static void test_shared_memory(void)
{
	other = NULL;
	is_text(of("a = «np.arange(n)».reshape(3, -1)"), "name a", "another shape has the same memory");
	is_text(of("a = «np.arange(n)»[:, None].T"), "name a", "so have slices and transposed arrays");
	is_text(of("a = «np.zeros(n)» + 1"), "name a", "numpy computes in a temporary array's memory");
	is_text(of("a = np.moveaxis(«np.zeros(n)», 0, 1)"), "name a", "some functions return their argument");
	is_text(of("a = np.asarray(«b(n)»)"), "name a", "also with nothing else");
	is_text(of("a = np.reshape(b, «f(n)»)"), "nothing ", "but not another argument");
	is_text(of("a = -(«2 * np.zeros(n)» + 1).T"), "name a", "also several operators");
	is_text(of("a = «b * c» + d"), "name a", "the first operators of several are an expression");
	is_text(of("a = b + «c * d» - e"), "name a", "wherever it is");
	other = "x * y + z";
	is_text(of("a = «x * y» + z"), "nothing ", "unless another operator has made an array of its own");
	is_text(of("a = «x * y + z»"), "name a", "which then has the name");
	other = "h(n)";
	is_text(of("a = «f(n)» + h(n)"), "nothing ", "one of two arrays may be the result");
	is_text(of("a, b = «f(n)».T, h(n)"), "name a", "what another variable gets does not count");
	other = NULL;
}

static void test_results(void)
{
	is_text(of("    return «np.zeros(n)»"), "return ", "a function hands over what it returns");
	is_text(of("    return {'a': «np.zeros(n)»}"), "nothing ", "not a part of it");
	is(returns("def f(n):\n    a = «g(n)»\n    a.x = 1\n    a[0] = 1\n    return a\n", "f", "a"), true,
	   "or a variable");
	is(returns("def f(n):\n    a = «g(n)»\n    if n: return (a.reshape(n))\n", "f", "a"), true,
	   "or what shares its memory");
	other = "a.astype(int)";
	is(returns("def f(n):\n    a = «g(n)»\n    return a.astype(int)\n", "f", "a"), false,
	   "but not what has memory of its own");
	other = NULL;
	is(returns("def f(n):\n    a = «g(n)»\n    a = h(a)\n    return a\n", "f", "a"), false,
	   "nor a variable that has got another value");
	is(returns("def f(n):\n    a = «g(n)»\n    a = a.T\n    if n: a = a * 2\n    return a\n", "f", "a"),
	   true, "unless it has the same memory, as far as is known");
	other = "a * 2";
	is(returns("def f(n):\n    a = «g(n)»\n    if n: a = a * 2\n    return a\n", "f", "a"), false,
	   "which no calculation has that has allocated memory");
	other = NULL;
	is(returns("def f(n):\n    a = «g(n)»\n    a = a.sum() + 1\n    return a\n", "f", "a"), false,
	   "or that has a number as its result");
	is(returns("def f(n):\n    a = «g(n)»\n    for a in h: pass\n    return a\n", "f", "a"), false,
	   "in a loop, too");
	is(returns("def f(n):\n    a = «g(n)»\n    return b\n", "f", "a"), false, "nor another one");
	is(returns("def f(n):\n    a = «g(n)»\ndef h(a):\n    return a\n", "f", "a"), false,
	   "nor that of another function");
	is(returns("def h(a):\n    return a\na = «g(n)»\n", "<module>", "a"), false,
	   "a module returns nothing");
}

int main(void)
{
	test_targets();
	test_values();
	test_shared_memory();
	test_results();
	return finish();
}
