// SPDX-License-Identifier: Apache-2.0
// The way back of one attachment, from its record alone: for DEL, for the undoing of a failed ADD,
// for GC, and for an ADD on a device whose DEL was lost. Idempotent and best effort: every step is
// tried, what is already done or gone counts as done, and only when all of it is done does the
// record go.
//
// Acts on the netns of the calling thread as the host's. What happens when the device vanishes
// half-way: no function, no driver or no netdev means that there is nothing to put back.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "lib/attachment/plan.h"
#include "lib/base/result.h"
#include "lib/netns/netns.h"
#include "lib/state/record.h"
#include "lib/state/store.h"

namespace rocelane::attachment {

inline constexpr std::chrono::milliseconds kReleaseLockLimit{30'000};

// The caller holds the device's lock. On error the record stays, in phase `releasing`, with the
// name of the first step that failed; the message names every step that did.
Result<void> release_locked(const Host& host, state::Record record);

// Takes the lock, reads the record again and releases. A record that is gone by then is success;
// one that belongs to another generation is somebody else's and left alone.
Result<void> release(const Host& host, const state::Record& record,
                     std::chrono::milliseconds lock_limit = kReleaseLockLimit);

// Whether the netns of a record still exists and is the very same; false after a reboot.
bool netns_lives(const Host& host, const state::Record& record);

}  // namespace rocelane::attachment
