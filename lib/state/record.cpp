// SPDX-License-Identifier: Apache-2.0
#include "lib/state/record.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "lib/json/json_reader.h"

namespace rocelane::state {

namespace {

using Json = nlohmann::json;

template <typename T>
void put(Json& object, const char* key, const std::optional<T>& value) {
  if (value) {
    object[key] = *value;
  }
}

void put(Json& object, const char* key, const std::optional<MacAddress>& value) {
  if (value) {
    object[key] = value->to_string();
  }
}

Json encode_saved(const SavedVf& saved) {
  Json out{{"hostName", saved.host_name},
           {"altNames", saved.alt_names},
           {"ifIndex", saved.if_index},
           {"mac", saved.mac.to_string()},
           {"mtu", saved.mtu},
           {"up", saved.up},
           {"pfName", saved.pf_name},
           {"sysctls", saved.sysctls}};
  put(out, "vfIndex", saved.vf_index);
  put(out, "adminMac", saved.admin_mac);
  put(out, "vlan", saved.vlan);
  put(out, "qos", saved.qos);
  put(out, "proto", saved.vlan_proto);
  put(out, "spoofchk", saved.spoofchk);
  put(out, "trust", saved.trust);
  put(out, "linkState", saved.link_state);
  put(out, "minTxRate", saved.min_tx_rate);
  put(out, "maxTxRate", saved.max_tx_rate);
  return out;
}

Json encode_rdma(const RdmaRef& rdma) {
  return Json{{"device", rdma.device},      {"created", rdma.created}, {"hostName", rdma.host_name},
              {"nodeGuid", rdma.node_guid}, {"chardev", rdma.chardev}, {"major", rdma.major},
              {"minor", rdma.minor}};
}

PodRef read_pod(const json::Value& value) {
  PodRef pod;
  json::Object object(value);
  object.allow_newer_keys();
  object.read("namespace", pod.ns);
  object.read("name", pod.name);
  object.read("uid", pod.uid);
  return pod;
}

NetnsRef read_netns(const json::Value& value) {
  NetnsRef netns;
  json::Object object(value);
  object.allow_newer_keys();
  object.read("path", netns.path);
  object.read("dev", netns.device);
  object.read("inode", netns.inode);
  return netns;
}

SavedVf read_saved(const json::Value& value) {
  SavedVf saved;
  json::Object object(value);
  object.allow_newer_keys();
  object.read("hostName", saved.host_name);
  object.read("altNames", saved.alt_names);
  object.read("ifIndex", saved.if_index);
  object.parse("mac", saved.mac, MacAddress::parse);
  object.read("mtu", saved.mtu);
  object.read("up", saved.up);
  object.read("pfName", saved.pf_name);
  object.read("vfIndex", saved.vf_index);
  object.parse("adminMac", saved.admin_mac, MacAddress::parse);
  object.read("vlan", saved.vlan);
  object.read("qos", saved.qos);
  object.read("proto", saved.vlan_proto);
  object.read("spoofchk", saved.spoofchk);
  object.read("trust", saved.trust);
  object.read("linkState", saved.link_state);
  object.read("minTxRate", saved.min_tx_rate);
  object.read("maxTxRate", saved.max_tx_rate);
  object.read("sysctls", saved.sysctls);
  return saved;
}

RdmaRef read_rdma(const json::Value& value) {
  RdmaRef rdma;
  json::Object object(value);
  object.allow_newer_keys();
  object.read("device", rdma.device);
  object.read("created", rdma.created);
  object.read("hostName", rdma.host_name);
  object.read("nodeGuid", rdma.node_guid);
  object.read("chardev", rdma.chardev);
  object.read("major", rdma.major);
  object.read("minor", rdma.minor);
  return rdma;
}

std::map<std::string, std::int64_t> read_timings(const json::Value& value) {
  std::map<std::string, std::int64_t> timings;
  for (const auto& [step, time] : value.members()) {
    if (const auto number = time.signed_number(std::numeric_limits<std::int64_t>::min(),
                                               std::numeric_limits<std::int64_t>::max())) {
      timings.emplace(step, *number);
    }
  }
  return timings;
}

// What every record has had since version 1; without them it cannot be acted on.
void read_identity(json::Object& object, Record& record) {
  const auto require_text = [&](const char* key, std::string& into) {
    if (object.require(key)) {
      object.read(key, into);
    }
  };
  require_text("generation", record.generation);
  require_text("containerID", record.container_id);
  require_text("ifName", record.if_name);
  require_text("deviceID", record.device_id);
  if (object.require("phase")) {
    object.choose<Phase>("phase", record.phase,
                         {{"planned", Phase::kPlanned},
                          {"changing", Phase::kChanging},
                          {"ready", Phase::kReady},
                          {"releasing", Phase::kReleasing}});
  }
}

void read_parts(json::Object& object, Record& record) {
  if (const auto pod = object.find("pod")) {
    record.pod = read_pod(*pod);
  }
  if (const auto netns = object.require("netns")) {
    record.netns = read_netns(*netns);
  }
  if (const auto saved = object.require("saved")) {
    record.saved = read_saved(*saved);
  }
  if (const auto rdma = object.find("rdma")) {
    record.rdma = read_rdma(*rdma);
  }
  if (const auto timings = object.find("timings")) {
    record.timings_us = read_timings(*timings);
  }
}

Record read_record(json::Object& object) {
  Record record;
  read_identity(object, record);
  read_parts(object, record);
  object.read("cniNetworkName", record.cni_network_name);
  object.read("cniIfName", record.cni_if_name);
  object.read("network", record.network);
  object.read("resource", record.resource);
  object.read("poolType", record.pool_type);
  object.read("bootID", record.boot_id);
  object.read("step", record.step);
  object.read("addresses", record.addresses);
  object.read("gid", record.gid);
  object.read("ipam", record.ipam);
  object.read("cdiSpec", record.cdi_spec);
  return record;
}

}  // namespace

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::kPlanned:
      return "planned";
    case Phase::kChanging:
      return "changing";
    case Phase::kReady:
      return "ready";
    case Phase::kReleasing:
      return "releasing";
  }
  return "unknown";
}

std::string encode_record(const Record& record) {
  const Json out{
      {"version", Record::kVersion},
      {"generation", record.generation},
      {"containerID", record.container_id},
      {"ifName", record.if_name},
      {"cniNetworkName", record.cni_network_name},
      {"cniIfName", record.cni_if_name},
      {"pod", {{"namespace", record.pod.ns}, {"name", record.pod.name}, {"uid", record.pod.uid}}},
      {"network", record.network},
      {"resource", record.resource},
      {"deviceID", record.device_id},
      {"poolType", record.pool_type},
      {"netns",
       {{"path", record.netns.path}, {"dev", record.netns.device}, {"inode", record.netns.inode}}},
      {"bootID", record.boot_id},
      {"phase", to_string(record.phase)},
      {"step", record.step},
      {"saved", encode_saved(record.saved)},
      {"rdma", encode_rdma(record.rdma)},
      {"addresses", record.addresses},
      {"gid", record.gid},
      {"ipam", record.ipam},
      {"cdiSpec", record.cdi_spec},
      {"timings", record.timings_us}};
  return json::encode_pretty(out);
}

Result<Record> parse_record(std::string_view text) {
  ROCELANE_ASSIGN_OR_RETURN(const auto document, json::Document::parse(text));
  json::Problems problems;
  json::report_duplicates(document, problems);
  Record record;
  int version = 0;
  {
    json::Object object(json::Value(document.value(), "$", problems));
    object.allow_newer_keys();
    if (object.require("version") && object.read("version", version) &&
        version != Record::kVersion) {
      return Error::make(Code::kUnsupported,
                         fmt::format("record of version {}, this program knows version {}", version,
                                     Record::kVersion));
    }
    record = read_record(object);
  }
  ROCELANE_RETURN_IF_ERROR(problems.to_result());
  return record;
}

}  // namespace rocelane::state
