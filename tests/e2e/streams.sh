#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Streams of the C++ library: two threads that use one without a lock are seen, the standard streams are safe together.
. "$(dirname "$0")/lib.sh"

cat >cases.cc <<'END'
#include <cassert>
#include <cstring>
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>
static std::ostringstream out;
static std::istringstream in("1 2 words and more");
static std::mutex m;
static void locked(int n)
{
  std::lock_guard<std::mutex> lock(m);
  out << "number " << n << ' ' << 1.5 << std::endl;
  std::string word;
  in >> word;
  assert(!word.empty());
}
static struct { const char *name; void (*one)(), (*other)(); } const cases[] = {
  {"look", [] { out << 5; }, [] { assert(out.str().empty()); }},
  {"set", [] { out.str("x"); }, [] { assert(out.str().empty()); }},
  {"two_writers", [] { out << "words"; }, [] { out << 1.5; }},
  {"two_readers", [] { int n; in >> n; }, [] { std::string s; std::getline(in, s); }},
  {"input", [] { int n; std::cin >> n; }, [] { int n = 0; std::cin >> n; assert(n == 1); }},
  {"output", [] { std::cout << 1 << "\n"; }, [] { std::cout << 2.5 << std::endl; std::cerr << 'c'; }},
  {"locked", [] { locked(1); }, [] { locked(2); }},
  {"own", [] { std::stringstream s; s << 1; int n; s >> n; assert(n == 1); }, [] { std::stringstream s; s << 2; assert(s.str() == "2"); }},
};

int main(int argc, char **argv)
{
  for (auto &c : cases)
    if (argc > 1 && !std::strcmp(c.name, argv[1])) {
      std::thread thread(c.one);
      c.other();
      thread.join();
    }
  return 0;
}
END
echo "1 2" >numbers
for options in -O0 "-O1 -std=c++20" "-O2 -no-pie"; do
  # shellcheck disable=SC2086 # several options
  "$heddle" c++ -g $options cases.cc -o cases || exit 1
  for name in look set two_writers two_readers; do
    expect_status "$name is seen with $options" 1 "$heddle" explore --no-page ./cases -- $name
  done
  run "$heddle" explore --no-page ./cases -- input <numbers
  if [[ $output != *"(complete)"* ]]; then ok "who reads first matters with $options"; else not_ok "who reads first matters with $options"; fi
  for name in output locked own; do
    expect_output "$name is correct with $options" 'no bug in any interleaving \(complete\)' "$heddle" explore ./cases -- $name
  done
done

# What is taken over is what the library has.
cat >functions <<'END'
_ZNSolsEb
_ZNSolsEs
_ZNSolsEt
_ZNSolsEi
_ZNSolsEj
_ZNSolsEl
_ZNSolsEm
_ZNSolsEx
_ZNSolsEy
_ZNSolsEPKv
_ZNSolsEd
_ZNSo9_M_insertIbEERSoT_
_ZNSo9_M_insertIlEERSoT_
_ZNSo9_M_insertImEERSoT_
_ZNSo9_M_insertIxEERSoT_
_ZNSo9_M_insertIyEERSoT_
_ZNSo9_M_insertIPKvEERSoT_
_ZNSo9_M_insertIdEERSoT_
_ZNSo3putEc
_ZNSo5writeEPKcl
_ZNSo5flushEv
_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l
_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc
_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c
_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE
_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_
_ZNSirsERb
_ZNSirsERs
_ZNSirsERt
_ZNSirsERi
_ZNSirsERj
_ZNSirsERl
_ZNSirsERm
_ZNSirsERx
_ZNSirsERy
_ZNSirsERf
_ZNSirsERd
_ZNSi10_M_extractIbEERSiRT_
_ZNSi10_M_extractIjEERSiRT_
_ZNSi10_M_extractIlEERSiRT_
_ZNSi10_M_extractImEERSiRT_
_ZNSi10_M_extractItEERSiRT_
_ZNSi10_M_extractIxEERSiRT_
_ZNSi10_M_extractIyEERSiRT_
_ZNSi10_M_extractIfEERSiRT_
_ZNSi10_M_extractIdEERSiRT_
_ZNSi3getEv
_ZNSi3getERc
_ZNSi4peekEv
_ZNSi4readEPcl
_ZNSi6ignoreEli
_ZNSi7getlineEPclc
_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_
_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE
_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE
_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_
_ZNKSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv
_ZNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE
_ZNKSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv
_ZNKSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strEv
_ZNKSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv
_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE
_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE
_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strERKNS_12basic_stringIcS2_S3_EE
_ZNKRSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv
_ZNKRSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strEv
_ZNKRSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv
_ZNOSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv
_ZNOSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strEv
_ZNOSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv
_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEONS_12basic_stringIcS2_S3_EE
_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strEONS_12basic_stringIcS2_S3_EE
_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEONS_12basic_stringIcS2_S3_EE
_ZNKRSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv
_ZNOSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv
_ZNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEONS_12basic_stringIcS2_S3_EE
_ZNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE7_M_syncEPcmm
END
library=$(ldd ./cases | awk '/libstdc/ { print $3 }')
nm -D --defined-only "$library" | awk '{ sub("@.*", "", $3); print $3 }' | sort -u >has
missing=$(sort functions | comm -23 - has)
if [ -z "$missing" ]; then ok "the library has all the functions"; else not_ok "the library has all the functions" "$missing"; fi
