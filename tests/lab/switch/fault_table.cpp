// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/fault_table.h"

#include <algorithm>
#include <utility>

namespace rocelane::lab {

namespace {

void apply(Fault& fault, Direction direction, Fault::TimePoint now, Verdict& verdict) {
  switch (fault.spec().action) {
    case FaultAction::kDrop:
      verdict.drop = true;
      return;
    case FaultAction::kDelay:
      verdict.due = fault.due(direction, verdict.due.value_or(now));
      return;
    case FaultAction::kDuplicate:
      ++verdict.copies;
      return;
    case FaultAction::kCorrupt:
      verdict.corrupt = fault.draw();
      return;
  }
}

auto find_fault(std::vector<Fault>& faults, std::string_view id) {
  return std::find_if(faults.begin(), faults.end(),
                      [id](const Fault& fault) { return fault.spec().id == id; });
}

}  // namespace

Result<std::string> FaultTable::add(FaultSpec spec) {
  while (spec.id.empty()) {
    auto name = "fault-" + std::to_string(++named_);
    if (find_fault(faults_, name) == faults_.end()) {
      spec.id = std::move(name);
    }
  }
  if (find_fault(faults_, spec.id) != faults_.end()) {
    return Error::make(Code::kAlreadyExists, "id: \"" + spec.id + "\" is in use");
  }
  return faults_.emplace_back(std::move(spec), seeds_()).spec().id;
}

Result<void> FaultTable::remove(std::string_view id) {
  const auto found = find_fault(faults_, id);
  if (found == faults_.end()) {
    return Error::make(Code::kNotFound, "id: no fault \"" + std::string(id) + "\"");
  }
  faults_.erase(found);
  return {};
}

std::size_t FaultTable::remove_all() {
  const auto removed = faults_.size();
  faults_.clear();
  return removed;
}

void FaultTable::seed(std::uint64_t seed) {
  seeds_.seed(seed);
  for (auto& fault : faults_) {
    fault.seed(seeds_());
  }
}

Verdict FaultTable::decide(PortIndex port, Direction direction, const FrameHeaders& headers,
                           std::size_t length, Fault::TimePoint now) {
  Verdict verdict;
  for (auto& fault : faults_) {
    if (fault.spec().port == port && fault.fires(direction, headers, length)) {
      apply(fault, direction, now, verdict);
    }
    if (verdict.drop) {
      break;
    }
  }
  return verdict;
}

}  // namespace rocelane::lab
