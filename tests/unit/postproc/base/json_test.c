// SPDX-License-Identifier: BSD-3-Clause
/* The JSON writer. If this fails, other programs can't read the JSON report. */
#include "base/json.h"

#include "../../tap.h"

static const char *quoted(struct memphis_text *text, const char *value)
{
	struct memphis_json json = {text, false};

	text->bytes = 0;
	memphis_json_string(&json, NULL, value);
	return text->text;
}

int main(void)
{
	struct memphis_text text = {0};
	struct memphis_json json = {&text, false};

	memphis_json_open(&json, NULL, '{');
	memphis_json_number(&json, "a", UINT64_MAX);
	memphis_json_open(&json, "b", '[');
	memphis_json_hex(&json, NULL, 255);
	memphis_json_bool(&json, NULL, true);
	memphis_json_null(&json, NULL);
	memphis_json_close(&json, ']');
	memphis_json_open(&json, "c", '{');
	memphis_json_close(&json, '}');
	memphis_json_string(&json, "d", NULL);
	memphis_json_close(&json, '}');
	is_text(text.text, "{\"a\":18446744073709551615,\"b\":[\"0xff\",true,null],\"c\":{},\"d\":null}",
		"commas and brackets are at the right places");
	is_text(quoted(&text, "a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\u000a\\u0001\"",
		"quotes and control characters are escaped");
	is_text(quoted(&text, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
		"\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"", "UTF-8 is left alone");
	is_text(quoted(&text, "\xff\xc3\x28\xed\xa0\x80\xc0\xaf"),
		"\"\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"",
		"bytes that are not UTF-8 are replaced");
	memphis_text_close(&text);
	return finish();
}
