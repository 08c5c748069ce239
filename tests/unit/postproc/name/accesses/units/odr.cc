// SPDX-License-Identifier: BSD-3-Clause
// Types of which the units of a program have different definitions: none of another unit is taken. Marks as in units.cc. Where clang has
// made type units, the linker leaves one of the definitions, and no trace of the others.

/* Two units define this differently: a violation of the rule of one definition. */
struct Clash {
	explicit Clash(int);
	double first, second;
};

double of_clash(const Clash *clash)
{
	return clash->second; // Clash.second // clang: Clash.?
}

/* Other units have such a type, too. */
namespace
{
struct Local {
	explicit Local(int);
	double first, second;
};
}

extern "C" __attribute__((used)) double of_local(const void *pointer)
{
	const Local *local = static_cast<const Local *>(pointer);

	return local->second; // Local.second // clang: Local.?
}

/* This unit has a definition of its own, and others have another one. */
struct Private {
	Private();
	double first, second;
};

Private::Private() : first(1), second(2)
{
}

struct Holder {
	explicit Holder(int);
	Private *own;
	Clash *clash;
};

double of_own(const Private *own)
{
	return own->second; // Private.second
}

double of_private(const Holder *holder)
{
	return holder->own->second; // Holder.own; ?Private.second; ?Private.? // clang: Holder.own; Private.?
}
