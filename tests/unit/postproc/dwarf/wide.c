/* SPDX-License-Identifier: BSD-3-Clause */
/* Definitions of types in two units, which a third unit only declares: compiled with UNIT 1, 2 and 3. */
#define TEN(t, n)   t *n##0, *n##1, *n##2, *n##3, *n##4, *n##5, *n##6, *n##7, *n##8, *n##9;
#define FIFTY(t, n) TEN(t, n##a) TEN(t, n##b) TEN(t, n##c) TEN(t, n##d) TEN(t, n##e)
#define HUNDRED(t)  FIFTY(t, x) FIFTY(t, y)

struct narrow;
struct wide;

#if UNIT < 3
/* Structures without a name can only be compared by their members, each of which leads to a hundred others. */
typedef struct {
	int value;
} leaf;
typedef struct {
	HUNDRED(leaf)
} hundred;
typedef struct {
	HUNDRED(hundred)
} ten_thousand;
typedef struct {
	HUNDRED(ten_thousand)
} million;
typedef struct {
	HUNDRED(million)
} hundred_million;

struct narrow {
	hundred *first;
	int value;
};
struct wide {
	hundred_million *first;
	int value;
};

#if UNIT == 1
struct narrow narrow_first;
struct wide wide_first;
#else
struct narrow narrow_second;
struct wide wide_second;
#endif
#else
struct narrow *narrow_held;
struct wide *wide_held;
#endif
