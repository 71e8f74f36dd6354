#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The documents of reports by the page's own kinematics: report.mjs beside this file.
set -u
. "$(dirname "$0")/cli/checks.sh"

needs "Node.js 18 or newer" node
"$APPELL" simulate "$here/models/ball.yaml" --until 0.01 -o some.h5 --quiet >out 2>err ||
  skip 'built without HDF5 (scripts/setup)'
cd "$here" && node tests/report.mjs "$APPELL" web
