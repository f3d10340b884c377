// SPDX-License-Identifier: Apache-2.0
#include "lib/attachment/delegate_call.h"

namespace rocelane::attachment {

cni::Delegate delegate_call(const Host& host, const state::Record& record) {
  cni::Delegate delegate;
  delegate.input = record.ipam;
  delegate.container_id = record.container_id;
  delegate.netns = record.netns.path;
  delegate.if_name = record.if_name;
  delegate.args =
      "IgnoreUnknown=1;K8S_POD_NAMESPACE=" + record.pod.ns + ";K8S_POD_NAME=" + record.pod.name +
      ";K8S_POD_INFRA_CONTAINER_ID=" + record.container_id + ";K8S_POD_UID=" + record.pod.uid;
  delegate.path = host.cni_path;
  return delegate;
}

}  // namespace rocelane::attachment
