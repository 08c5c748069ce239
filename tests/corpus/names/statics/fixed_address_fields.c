// SPDX-License-Identifier: BSD-3-Clause
#include "corpus.h"

double field[COUNT];
