# SPDX-License-Identifier: Apache-2.0
"""Owns nothing: lets `python3 -m rocelab` be the lab's command line."""

import sys

from rocelab import cli

sys.exit(cli.main(sys.argv[1:]))
