// SPDX-License-Identifier: Apache-2.0
#pragma once

/// APSIS_SANITIZED is defined if a sanitizer checks memory (GCC and Clang report this differently).
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define APSIS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define APSIS_SANITIZED 1
#endif
#endif
