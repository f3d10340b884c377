// SPDX-License-Identifier: Apache-2.0
// gRPC over unix sockets that we connect and bind ourselves. Private to lib/kubelet and its tests.
//
// gRPC's own "unix:" targets hide errno behind UNAVAILABLE, reconnect on a one-second back-off, and
// its listeners unlink their path late, when it may already be somebody else's.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/support/status.h>

#include <memory>
#include <string>
#include <string_view>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"

namespace rocelane::kubelet {

// One connection, never reconnected. kNotFound: no such socket; kBusy: nobody listens there or its
// backlog is full; kInvalidInput: the path does not fit a socket address (unix(7): 107 bytes).
Result<std::shared_ptr<grpc::Channel>> connect_channel(const std::string& path);

// A listening socket at `path`, non-blocking. A file that is already there is replaced.
Result<UniqueFd> listen_unix(const std::string& path);

// kBusy: may work when tried again (away, rate limit, deadline). "what: message (STATUS)".
Error error_from_status(const grpc::Status& status, std::string_view what);

}  // namespace rocelane::kubelet
