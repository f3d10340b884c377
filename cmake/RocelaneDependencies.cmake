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

# gRPC without TLS, from static archives: every peer is a unix socket on the same host.
pkg_check_modules(GRPCPP REQUIRED grpc++_unsecure)
set(grpc_archives "")
foreach(lib IN LISTS GRPCPP_STATIC_LIBRARIES)
  find_library(ROCELANE_ARCHIVE_${lib} NAMES lib${lib}.a)
  if(ROCELANE_ARCHIVE_${lib} AND NOT lib MATCHES "^(c|m|dl|rt|pthread)$")
    list(APPEND grpc_archives ${ROCELANE_ARCHIVE_${lib}})
  endif()
endforeach()
list(REMOVE_DUPLICATES grpc_archives)
find_library(ROCELANE_PROTOBUF_STATIC NAMES libprotobuf.a REQUIRED)
add_library(rocelane_grpc INTERFACE)
target_link_libraries(
  rocelane_grpc INTERFACE -Wl,--start-group ${grpc_archives} ${ROCELANE_PROTOBUF_STATIC}
                          -Wl,--end-group Threads::Threads dl rt)
