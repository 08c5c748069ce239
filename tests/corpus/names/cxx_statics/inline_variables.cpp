// SPDX-License-Identifier: BSD-3-Clause
// Inline variables of a header, which two units share, and statics of inline functions, which are one.
// corpus: units inline_variables_other.cpp inline_variables.hpp
#include "inline_variables.hpp"

void other();

int main()
{
	TRUTH(settings::table, BYTES, "settings::table");
	TRUTH(settings::cache(), BYTES, "settings::cache::block|settings::cache()::block");
	other();
}
