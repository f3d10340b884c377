# SPDX-License-Identifier: Apache-2.0
# Distribution packages only. Debian ships gRPC as shared CMake targets; the programs that must run on
# any distribution link the static archives through the targets made here.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Protobuf REQUIRED) # module mode: Debian ships no config file; before gRPC
find_package(gRPC CONFIG REQUIRED)
if(ROCELANE_TESTS OR NOT DEFINED ROCELANE_TESTS)
  find_package(GTest REQUIRED)
endif()

pkg_check_modules(LIBNL REQUIRED libnl-3.0)
# libnl-3.a lies in /lib, so the archive is looked for by name in the multiarch directories.
find_library(ROCELANE_LIBNL3_STATIC NAMES libnl-3.a REQUIRED)
add_library(rocelane_libnl INTERFACE)
target_include_directories(rocelane_libnl SYSTEM INTERFACE ${LIBNL_INCLUDE_DIRS})
target_link_libraries(rocelane_libnl INTERFACE ${ROCELANE_LIBNL3_STATIC} Threads::Threads)

# Header-only everywhere: Debian has no static fmt or spdlog, and one way is enough.
add_library(rocelane_log_headers INTERFACE)
target_compile_definitions(rocelane_log_headers INTERFACE FMT_HEADER_ONLY SPDLOG_FMT_EXTERNAL)

# gRPC without TLS, from static archives: every peer is a unix socket on the same host. Debian's
# pkg-config files know gRPC's and Abseil's archives but not the other private ones (Libs.private is
# empty), so those are named here. The group is needed because Abseil's archives refer to each other.
pkg_check_modules(GRPCPP REQUIRED grpc++_unsecure)
set(grpc_archives "")
foreach(
  lib IN
  LISTS GRPCPP_STATIC_LIBRARIES
  ITEMS upb address_sorting re2 cares z protobuf-lite)
  if(lib MATCHES "^(c|m|dl|rt|pthread|atomic)$")
    continue()
  endif()
  find_library(ROCELANE_ARCHIVE_${lib} NAMES lib${lib}.a REQUIRED)
  list(APPEND grpc_archives ${ROCELANE_ARCHIVE_${lib}})
endforeach()
list(REMOVE_DUPLICATES grpc_archives)
add_library(rocelane_grpc INTERFACE)
# Messages are LITE_RUNTIME (proto/): no descriptors, no reflection, 1.5 MB less in each program.
target_compile_definitions(rocelane_grpc INTERFACE GRPC_USE_PROTO_LITE)
target_compile_options(rocelane_grpc INTERFACE -ffunction-sections -fdata-sections)
# A static glibc warns of getaddrinfo(3) in c-ares and gRPC; names are never resolved here.
target_link_options(rocelane_grpc INTERFACE -Wl,--gc-sections $<$<CONFIG:Release,MinSizeRel>:-s>)
target_link_libraries(rocelane_grpc INTERFACE -Wl,--start-group ${grpc_archives} -Wl,--end-group
                                              Threads::Threads dl rt)
