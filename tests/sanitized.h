// SPDX-License-Identifier: Apache-2.0
// Whether AddressSanitizer is at work: it has a heap of its own, and keeps what was freed.

#ifndef AP_TESTS_SANITIZED_H
#define AP_TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#endif
