// SPDX-License-Identifier: Apache-2.0
#pragma once

/// APSIS_SANITIZED: whether a sanitizer watches the memory (GCC and Clang say so in two ways).
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define APSIS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define APSIS_SANITIZED 1
#endif
#endif
