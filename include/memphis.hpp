/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memphis.h for C++11 and later: calipers that close themselves, names for the memory of containers.
 *
 *	#include <memphis.hpp>
 *
 *	std::vector<double> field(n);
 *	memphis::name(field, "field");
 *	{
 *		memphis::caliper loop("TimeLoop");
 *		...
 *	}
 *
 * Nothing here throws on account of sampling. What the calls do, and the numbers they return, is told in memphis.h.
 */
#ifndef MEMPHIS_HPP
#define MEMPHIS_HPP

#include <cerrno>
#include <cstddef>
#include <string>

#include <memphis.h>

/* `memphis::caliper("x");` would open and close at once; compilers can say so since C++20. */
#if defined(__cplusplus) && __cplusplus >= 202002L
#define MEMPHIS_NODISCARD [[nodiscard]]
#else
#define MEMPHIS_NODISCARD
#endif

namespace memphis
{

/* A caliper from here to the end of the scope, whichever way that is left. It belongs to the thread that made it. */
class caliper
{
      public:
	/* Takes no copy: `name` stays as it is until the caliper is closed, as a literal does. */
	MEMPHIS_NODISCARD explicit caliper(const char *name) : name_(name), status_(memphis_begin(name_))
	{
	}

	MEMPHIS_NODISCARD explicit caliper(std::string name)
	    : copy_(static_cast<std::string &&>(name)), name_(copy_.c_str()), status_(memphis_begin(name_))
	{
	}

	caliper(const caliper &) = delete;
	caliper &operator=(const caliper &) = delete;

	~caliper()
	{
		close();
	}

	/* Before the end of the scope. Once only. */
	int close() noexcept
	{
		int result;

		if (status_)
			return status_ == closed ? -EINVAL : status_;
		result = memphis_end(name_);
		if (!result)
			status_ = closed;
		return result;
	}

	/* Of opening it: 0 or a negative errno value. */
	int status() const noexcept
	{
		return status_ == closed ? 0 : status_;
	}

      private:
	static const int closed = 1;

	std::string copy_;
	const char *name_;
	int status_;
};

/* Name `count` objects from `start` on, until they are freed or named again. */
template <typename T> int name(const T *start, std::size_t count, const std::string &text)
{
	return memphis_name(start, count * sizeof(T), text.c_str());
}

/*
 * Name the elements of a container that keeps them in one piece, and has data() and size(): vector, array, span, Kokkos::View,
 * Eigen's matrices. A container that grows has new memory afterwards.
 */
template <typename Container>
auto name(const Container &container, const std::string &text)
	-> decltype(name(container.data(), container.size(), text))
{
	return name(container.data(), container.size(), text);
}

template <typename T, std::size_t N> int name(const T (&array)[N], const std::string &text)
{
	return memphis_name(array, sizeof(array), text.c_str());
}

inline int configure(const std::string &key, const std::string &value)
{
	return memphis_configure(key.c_str(), value.c_str());
}

inline int flush()
{
	return memphis_flush();
}

inline std::string status()
{
	std::string text(static_cast<std::size_t>(memphis_status(nullptr, 0)) + 1, '\0');
	int length = memphis_status(&text[0], text.size());

	/* What is to be said may have changed in between. */
	text.resize(static_cast<std::size_t>(length) < text.size() ? static_cast<std::size_t>(length)
								   : text.size() - 1);
	return text;
}

inline std::string version()
{
	return memphis_version();
}

} // namespace memphis

#undef MEMPHIS_NODISCARD

#endif
