#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page of reports: its poses and drawings in Node.js, the page itself in a headless Chromium. The
# live page of 'appell view' there, too.
set -u
. "$(dirname "$0")/cli/checks.sh"

needs "Node.js 18 or newer" node && needs npm npm && needs Chromium chromium chromium-browser google-chrome chrome
web=$(dirname "$APPELL")/web
"$here/scripts/web_packages" "$web" >err 2>&1 || {
  cat err
  skip 'the npm packages of web/ cannot be fetched (a network)'
}
APPELL_SOURCE=$here
export APPELL APPELL_SOURCE
node --test "$web"/test/*.test.mjs "$web"/view/test/*.test.mjs
