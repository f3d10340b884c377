# SPDX-License-Identifier: Apache-2.0
"""The lab: makes what virtual nodes are built from, and runs a Kubernetes on them."""
