// SPDX-License-Identifier: Apache-2.0
// The version of this build, as every program prints it for --version.
#pragma once

#include <string_view>

namespace rocelane {

// "0.1.0": the version from CMake's project().
std::string_view version();

}  // namespace rocelane
