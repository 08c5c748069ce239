/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C++ interface of libmemphis, for C++11 and later: calipers as RAII objects, and names for the memory of containers.
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
 * memphis.h documents the underlying calls and their return values. If sampling fails, no exception is thrown; only std::string
 * may throw one.
 */
#ifndef MEMPHIS_HPP
#define MEMPHIS_HPP

#include <cerrno>
#include <cstddef>
#include <string>

#include <memphis.h>

/*
 * Lets the compiler warn about `memphis::caliper("x");`, which opens a caliper and closes it immediately. Constructors accept
 * [[nodiscard]] since C++20.
 */
#if defined(__cplusplus) && __cplusplus >= 202002L
#define MEMPHIS_NODISCARD [[nodiscard]]
#else
#define MEMPHIS_NODISCARD
#endif

namespace memphis
{

/*
 * A registered name, for calipers in inner loops: a caliper of a region compares no strings. To be constructed once, for example as a static
 * object; trivial to copy. If the library can't register the name, its calipers return -EINVAL.
 */
class region
{
      public:
	explicit region(const char *name) noexcept : handle_(memphis_region(name))
	{
	}

	explicit region(const std::string &name) noexcept : handle_(memphis_region(name.c_str()))
	{
	}

      private:
	friend class caliper;

	const struct memphis_region_name *handle_;
};

/*
 * A caliper that is opened by the constructor and closed at the end of the scope, also if an exception leaves the scope. The object
 * must be destroyed by the thread that constructed it.
 */
class caliper
{
      public:
	/* `name` is not copied, and must stay valid until the caliper is closed, as a string literal does. */
	MEMPHIS_NODISCARD explicit caliper(const char *name) : name_(name), status_(memphis_begin(name_))
	{
	}

	MEMPHIS_NODISCARD explicit caliper(std::string name)
	    : copy_(static_cast<std::string &&>(name)), name_(copy_.c_str()), status_(memphis_begin(name_))
	{
	}

	MEMPHIS_NODISCARD explicit caliper(const region &registered) noexcept
	    : region_(registered.handle_), name_(nullptr), status_(memphis_begin_region(region_))
	{
	}

	caliper(const caliper &) = delete;
	caliper &operator=(const caliper &) = delete;

	~caliper()
	{
		close();
	}

	/*
	 * Closes the caliper before the end of the scope. Returns the result of memphis_begin() if it failed, -EINVAL if the
	 * caliper is already closed, else the result of memphis_end().
	 */
	int close() noexcept
	{
		int result;

		if (status_)
			return status_ == closed ? -EINVAL : status_;
		result = name_ ? memphis_end(name_) : memphis_end_region(region_);
		if (!result)
			status_ = closed;
		return result;
	}

	/* Returns the result of memphis_begin() or memphis_begin_region(): 0 or a negative errno value. */
	int status() const noexcept
	{
		return status_ == closed ? 0 : status_;
	}

      private:
	static const int closed = 1;

	std::string copy_;
	const struct memphis_region_name *region_ = nullptr;
	const char *name_;
	int status_;
};

/*
 * Switches sampling off for all threads until the end of the scope, for example for a phase that is not of interest. Pauses do not nest: the
 * first object that is destroyed switches sampling on again.
 */
class pause
{
      public:
	MEMPHIS_NODISCARD pause() noexcept : status_(memphis_pause())
	{
	}

	pause(const pause &) = delete;
	pause &operator=(const pause &) = delete;

	~pause()
	{
		if (!status_)
			memphis_resume();
	}

	/* Returns the result of memphis_pause(): 0 or a negative errno value. */
	int status() const noexcept
	{
		return status_;
	}

      private:
	int status_;
};

/* Gives a name to the `count` objects at `start`, until they are freed or named again. */
template <typename T> int name(const T *start, std::size_t count, const std::string &text)
{
	return memphis_name(start, count * sizeof(T), text.c_str());
}

/*
 * Gives a name to the elements of a contiguous container that has data() and size(), such as std::vector, std::array, std::span,
 * Kokkos::View, or an Eigen matrix. If the container reallocates its memory, it has to be named again.
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

	/* The length may have changed between the two calls. */
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
