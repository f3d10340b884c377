// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value or an Error; a dropped one does not compile. Over tl::expected until the
// compiler floor has std::expected. Three ways to handle one:
//   ROCELANE_RETURN_IF_ERROR(step());                       pass the error up
//   ROCELANE_ASSIGN_OR_RETURN(auto link, find_link(name));  take the value or pass the error up
//   if (auto r = step(); !r.ok()) { use(r.error()); }       decide here
// Absence is not an error: Result<std::optional<T>>. A broken invariant is not a Result:
// ROCELANE_CHECK aborts.
#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "lib/base/error.h"

namespace rocelane {

template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : inner_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : inner_(tl::unexpect, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return inner_.has_value(); }
  explicit operator bool() const { return ok(); }

  // Only on an ok() result.
  T& value() & { return *inner_; }
  const T& value() const& { return *inner_; }
  T&& value() && { return std::move(*inner_); }
  T& operator*() & { return *inner_; }
  const T& operator*() const& { return *inner_; }
  T&& operator*() && { return std::move(*inner_); }
  T* operator->() { return &*inner_; }
  const T* operator->() const { return &*inner_; }

  // Only on a result that is not ok().
  [[nodiscard]] const Error& error() const { return inner_.error(); }

  // The same result; an error gains one layer of context.
  [[nodiscard]] Result with_context(std::string_view context) && {
    if (ok()) {
      return std::move(*this);
    }
    return error().with_context(context);
  }

  T value_or(T other) && { return ok() ? std::move(*inner_) : std::move(other); }

 private:
  tl::expected<T, Error> inner_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error)
      : inner_(tl::unexpect, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return inner_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const { return inner_.error(); }

  [[nodiscard]] Result with_context(std::string_view context) && {
    if (ok()) {
      return {};
    }
    return error().with_context(context);
  }

  // For best-effort steps whose failure the caller has decided to accept, with the reason beside
  // it.
  void ignore_error() const {}

 private:
  tl::expected<void, Error> inner_;
};

[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace rocelane

#define ROCELANE_CONCAT_INNER(a, b) a##b
#define ROCELANE_CONCAT(a, b) ROCELANE_CONCAT_INNER(a, b)

#define ROCELANE_RETURN_IF_ERROR(expression)                          \
  do {                                                                \
    if (auto rocelane_status = (expression); !rocelane_status.ok()) { \
      return rocelane_status.error();                                 \
    }                                                                 \
  } while (false)

#define ROCELANE_ASSIGN_OR_RETURN(declaration, expression)                                  \
  ROCELANE_ASSIGN_OR_RETURN_INNER(ROCELANE_CONCAT(rocelane_result_, __LINE__), declaration, \
                                  expression)

#define ROCELANE_ASSIGN_OR_RETURN_INNER(result, declaration, expression) \
  auto result = (expression);                                            \
  if (!(result).ok()) {                                                  \
    return (result).error();                                             \
  }                                                                      \
  declaration = std::move(*result) /* NOLINT(bugprone-macro-parentheses): a declaration */

#define ROCELANE_CHECK(condition)                               \
  do {                                                          \
    if (!(condition)) {                                         \
      ::rocelane::check_failed(#condition, __FILE__, __LINE__); \
    }                                                           \
  } while (false)
