/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands before the C++ library's header of the same name when heddle c++ compiles: what strings do is compiled into the
 * program, where it has hooks, instead of taken from the library, where it has none. The rest of the library stays as it is.
 */
#pragma GCC system_header
#pragma push_macro("_GLIBCXX_EXTERN_TEMPLATE")
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#include_next <bits/basic_string.tcc>
#pragma pop_macro("_GLIBCXX_EXTERN_TEMPLATE")
