# SPDX-License-Identifier: Apache-2.0
# FILES one behind the other into OUT, each behind a line with its size in bytes and its name.
file(WRITE ${OUT}.part "")
foreach(file IN LISTS FILES)
  file(SIZE ${file} size)
  file(READ ${file} text)
  file(APPEND ${OUT}.part "${size} ${file}\n${text}")
endforeach()
file(APPEND ${OUT}.part "end\n")
file(RENAME ${OUT}.part ${OUT})
