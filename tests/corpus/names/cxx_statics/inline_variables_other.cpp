// SPDX-License-Identifier: BSD-3-Clause
#include "inline_variables.hpp"

void other()
{
	TRUTH(settings::table, BYTES, "settings::table");
	TRUTH(settings::cache(), BYTES, "settings::cache::block|settings::cache()::block");
}
