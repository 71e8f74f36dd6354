#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The JavaScript package: built, its numbers, files and types in Node.js, and in a headless Chromium.
# APPELL is the path of the command.
set -u
. "$(dirname "$0")/cli/checks.sh"

needs "Node.js 18 or newer" node
build=$(dirname "$APPELL")
"$here/scripts/build_js" "$build/js" "$build/js-wasm" >out 2>err
rc=$?
[ "$rc" -ne 77 ] || {
  cat out
  exit 77
}
verdict $rc 'scripts/build_js'
[ "$rc" -eq 0 ] || finish
export APPELL APPELL_JS="$build/js"
export NODE_OPTIONS=--no-warnings
node --test "$here/tests/js" >out 2>err
rc=$?
[ "$rc" -eq 0 ] || cat out
sed -n 's/.*# SKIP \(skipped: .*\)/\1/p' out
verdict $rc 'the tests in Node.js and Chromium (tests/js)'

if command -v tsc >/dev/null; then
  mkdir -p node_modules && ln -s "$build/js" node_modules/appell && cp "$here/tests/js/types.ts" .
  tsc --noEmit --strict --target es2022 --module es2022 --moduleResolution node types.ts >err 2>&1
  verdict $? 'types.ts compiles with the types of the package'
else
  left_out 'types of the JavaScript package: TypeScript is missing (scripts/setup js)'
fi

(cd "$here" && grep -rnE 'https?://' bindings/js | grep -v 'www.w3.org') >err
holds 'no file of the package names an address' [ ! -s err ]
finish
