#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The functions of the C++ library that look at what several threads may have, or change it, in code that has no hooks:
# paths, streams, locales, hash tables, exceptions and who holds them. Each is seen when a thread calls it while another
# one does the opposite; of what is only counted, all orders are tried.
. "$(dirname "$0")/lib.sh"

cat >cases.cc <<'END'
#include <cassert>
#include <chrono>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <future>
#include <iomanip>
#include <locale>
#include <memory_resource>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <unwind.h>
using std::filesystem::path;

/* What is private, or what the headers put their own accesses around, is called by its name. */
#define NAMED(name) __asm__(#name)
void split(path *) NAMED(_ZNSt10filesystem7__cxx114path14_M_split_cmptsEv);
void append(path *, std::string_view) NAMED(_ZNSt10filesystem7__cxx114path9_M_appendESt17basic_string_viewIcSt11char_traitsIcEE);
void concat(path *, std::string_view) NAMED(_ZNSt10filesystem7__cxx114path9_M_concatESt17basic_string_viewIcSt11char_traitsIcEE);
const void *begin(const void *parts) NAMED(_ZNKSt10filesystem7__cxx114path5_List5beginEv);
const void *end(const void *parts) NAMED(_ZNKSt10filesystem7__cxx114path5_List3endEv);
void copy(void *parts, const void *others) NAMED(_ZNSt10filesystem7__cxx114path5_ListC1ERKS2_);
void hold(std::exception_ptr *) NAMED(_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv);
void let_go(std::exception_ptr *) NAMED(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv);

static path p("a/b.c"), q("x/y");
static void *const parts = reinterpret_cast<char *>(&p) + 32;
alignas(8) static char place[8];
static void split_p() { split(&p); }
static void ask_p() { p.has_filename(); }

static std::ostringstream out, more;
static std::istringstream in(" 1 2");
static std::ios &ios = out;
static void look() { out.str(); }
static void state() { ios.rdstate(); }
static void width() { out.width(); }
static void clear() { ios.clear(); }

static std::string string("abc");
static char *const inside = &string[0];
static const volatile size_t *const length = reinterpret_cast<size_t *>(&string) + 1;
static char bytes[4] = "abc";
static void write() { *inside = 'x'; }
static void measure() { (void)*length; }

static std::locale made(std::locale::classic(), new std::numpunct<char>), other(std::locale::classic(), new std::numpunct<char>);
struct special : std::locale { special() = default; special(const special &) = default; };
static special mine;
alignas(special) static char locales[2][sizeof(special)];
static void assign() { made = other; }
static void assign_mine() { static_cast<std::locale &>(mine) = other; }
static void set_global() { std::locale::global(made); }

static std::pmr::memory_resource *const null = std::pmr::null_memory_resource();
static const int first_word = std::ios_base::xalloc();
static std::__detail::_Prime_rehash_policy policy;
static volatile size_t size;
static void growth() { size = policy._M_next_resize; }
static std::promise<int> promise;
static std::future<int> result = promise.get_future();

/* An error and its copies share a text. */
template <class Error> struct derived : Error { using Error::Error; };
template <class Error> struct errors {
  static inline Error error{"text"}, assigned{"another"};
  static inline derived<Error> special{"text"};
  alignas(derived<Error>) static inline char place[4][sizeof(derived<Error>)];
  static inline Error *const copied = new (place[0]) Error(error);
  static inline derived<Error> *const special_copied = new (place[1]) derived<Error>(special);
  static void copy() { new (place[2]) Error(error); }
  static void copy_special() { new (place[2]) derived<Error>(special); }
  static void copy_again() { new (place[3]) Error(error); }
  static void copy_special_again() { new (place[3]) Error(special); }
  static void assign() { assigned = error; }
  static void destroy() { copied->Error::~Error(); }
  static void destroy_special() { special_copied->derived<Error>::~derived(); }
  static void of_text() { new (place[2]) Error(bytes); }
  static void of_text_special() { new (place[2]) derived<Error>(bytes); }
  static void of_string() { new (place[2]) Error(string); }
  static void of_string_special() { new (place[2]) derived<Error>(string); }
};
using logic = errors<std::logic_error>;
using runtime = errors<std::runtime_error>;

static std::exception_ptr exception = std::make_exception_ptr(5), held[4] = {exception, exception, exception, exception};
static void hold_one() { hold(&held[0]); }
static void let_one_go() { let_go(&held[1]); }
static void rethrow() { try { std::rethrow_exception(exception); } catch (int) {} }
static void delete_one()
{
  _Unwind_DeleteException(*reinterpret_cast<_Unwind_Exception **>(&held[2]) - 1);
  std::memset(&held[2], 0, sizeof held[2]);
}

struct test { const char *names; void (*change)(), (*look)(); };
static const test seen[] = {
  {"_ZNKSt10filesystem7__cxx114path11parent_pathEv", [] { p.parent_path(); }, split_p},
  {"_ZNKSt10filesystem7__cxx114path12has_filenameEv", [] { p.has_filename(); }, split_p},
  {"_ZNKSt10filesystem7__cxx114path13has_root_nameEv", [] { p.has_root_name(); }, split_p},
  {"_ZNKSt10filesystem7__cxx114path13has_root_pathEv", [] { p.has_root_path(); }, split_p},
  {"_ZNKSt10filesystem7__cxx114path13relative_pathEv", [] { p.relative_path(); }, split_p},
  {"_ZNKSt10filesystem7__cxx114path14root_directoryEv", [] { p.root_directory(); }, split_p},
  {"_ZNKSt10filesystem7__cxx114path15has_parent_pathEv", [] { p.has_parent_path(); }, split_p},
  {"_ZNKSt10filesystem7__cxx114path16lexically_normalEv", [] { p.lexically_normal(); }, split_p},
  {"_ZNKSt10filesystem7__cxx114path17has_relative_pathEv", [] { p.has_relative_path(); }, split_p},
  {"_ZNKSt10filesystem7__cxx114path18has_root_directoryEv", [] { p.has_root_directory(); }, split_p},
  {"_ZNKSt10filesystem7__cxx114path18lexically_relativeERKS1_", [] { q.lexically_relative(p); }, split_p},
  {"_ZNKSt10filesystem7__cxx114path19lexically_proximateERKS1_", [] { q.lexically_proximate(p); }, split_p},
  {"_ZNKSt10filesystem7__cxx114path7compareERKS1_", [] { q.compare(p); }, split_p},
  {"_ZNKSt10filesystem7__cxx114path9root_nameEv", [] { p.root_name(); }, split_p},
  {"_ZNKSt10filesystem7__cxx114path9root_pathEv", [] { p.root_path(); }, split_p},
  {"_ZNKSt10filesystem7__cxx114path5_List5beginEv", [] { begin(parts); }, split_p},
  {"_ZNKSt10filesystem7__cxx114path5_List3endEv", [] { end(parts); }, split_p},
  {"_ZNSt10filesystem7__cxx114path5_ListC1ERKS2_", [] { copy(place, parts); }, split_p},
  {"_ZNSt10filesystem7__cxx114path14_M_split_cmptsEv", split_p, ask_p},
  {"_ZNSt10filesystem7__cxx114path15remove_filenameEv", [] { p.remove_filename(); }, ask_p},
  {"_ZNSt10filesystem7__cxx114path16replace_filenameERKS1_", [] { p.replace_filename(q); }, ask_p},
  {"_ZNSt10filesystem7__cxx114path17replace_extensionERKS1_", [] { p.replace_extension(q); }, ask_p},
  {"_ZNSt10filesystem7__cxx114path9_M_appendESt17basic_string_viewIcSt11char_traitsIcEE", [] { append(&p, "x"); }, ask_p},
  {"_ZNSt10filesystem7__cxx114path9_M_concatESt17basic_string_viewIcSt11char_traitsIcEE", [] { concat(&p, "x"); }, ask_p},
  {"_ZNSt10filesystem7__cxx114pathaSERKS1_", [] { p = q; }, ask_p},
  {"_ZNSt10filesystem7__cxx114pathdVERKS1_", [] { p /= q; }, ask_p},
  {"_ZNSt10filesystem7__cxx114pathpLERKS1_", [] { p += q; }, ask_p},

  {"_ZNKSt9basic_iosIcSt11char_traitsIcEE10exceptionsEv", [] { ios.exceptions(); }, clear},
  {"_ZNKSt9basic_iosIcSt11char_traitsIcEE3badEv", [] { ios.bad(); }, clear},
  {"_ZNKSt9basic_iosIcSt11char_traitsIcEE3eofEv", [] { ios.eof(); }, clear},
  {"_ZNKSt9basic_iosIcSt11char_traitsIcEE4failEv", [] { ios.fail(); }, clear},
  {"_ZNKSt9basic_iosIcSt11char_traitsIcEE4goodEv", [] { ios.good(); }, clear},
  {"_ZNKSt9basic_iosIcSt11char_traitsIcEE7rdstateEv", [] { ios.rdstate(); }, clear},
  {"_ZNKSt9basic_iosIcSt11char_traitsIcEEcvbEv", [] { (void)static_cast<bool>(ios); }, clear},
  {"_ZNKSt9basic_iosIcSt11char_traitsIcEEntEv", [] { (void)!ios; }, clear},
  {"_ZNKSt9basic_iosIcSt11char_traitsIcEE3tieEv", [] { ios.tie(); }, [] { ios.tie(&more); }},
  {"_ZNKSt9basic_iosIcSt11char_traitsIcEE4fillEv", [] { ios.fill(); }, [] { ios.fill('x'); }},
  {"_ZNKSt9basic_iosIcSt11char_traitsIcEE5rdbufEv", [] { ios.rdbuf(); }, [] { ios.rdbuf(more.rdbuf()); }},
  {"_ZNSt9basic_iosIcSt11char_traitsIcEE10exceptionsESt12_Ios_Iostate", [] { ios.exceptions(std::ios::badbit); }, state},
  {"_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate", clear, state},
  {"_ZNSt9basic_iosIcSt11char_traitsIcEE8setstateESt12_Ios_Iostate", [] { ios.setstate(std::ios::eofbit); }, state},
  {"_ZNSt9basic_iosIcSt11char_traitsIcEE3tieEPSo", [] { ios.tie(&more); }, [] { ios.tie(); }},
  {"_ZNSt9basic_iosIcSt11char_traitsIcEE4fillEc", [] { ios.fill('x'); }, [] { ios.fill(); }},
  {"_ZNSt9basic_iosIcSt11char_traitsIcEE5rdbufEPSt15basic_streambufIcS1_E", [] { ios.rdbuf(more.rdbuf()); }, [] { ios.rdbuf(); }},
  {"_ZNSolsEDn", [] { out << nullptr; }, look},
  {"_ZNSolsEf", [] { out << 1.5F; }, look},
  {"_ZSt2wsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_", [] { std::ws(in); }, [] { in.str(); }},
  {"_ZSt4endsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_", [] { std::ends(out); }, look},
  {"_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_", [] { std::flush(out); }, look},
  {"_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St12_Setiosflags", [] { out << std::setiosflags(std::ios::hex); }, width},
  {"_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St13_Setprecision", [] { out << std::setprecision(3); }, width},
  {"_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St14_Resetiosflags", [] { out << std::resetiosflags(std::ios::dec); }, width},
  {"_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw", [] { out << std::setw(9); }, width},
  {"_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_Setbase", [] { out << std::setbase(16); }, width},
  {"_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_SetfillIS3_E", [] { out << std::setfill('x'); }, [] { ios.fill(); }},
  {"_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1EONS_12basic_stringIcS2_S3_EESt13_Ios_Openmode", [] { std::stringstream s(std::move(string)); }, measure},
  {"_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEEC1EONS_12basic_stringIcS2_S3_EESt13_Ios_Openmode", [] { std::istringstream s(std::move(string)); }, measure},
  {"_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEC1EONS_12basic_stringIcS2_S3_EESt13_Ios_Openmode", [] { std::ostringstream s(std::move(string)); }, measure},
  {"_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode", [] { std::stringstream s(string); }, write},
  {"_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode", [] { std::istringstream s(string); }, write},
  {"_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode", [] { std::ostringstream s(string); }, write},
  {"_ZNSt8ios_base6xallocEv", [] { std::ios_base::xalloc(); }, [] { assert(std::ios_base::xalloc() == first_word + 1); }},

  {"_ZNKSt6localeeqERKS_", [] { (void)(made == std::locale::classic()); }, assign},
  {"_ZNSt6localeaSERKS_", assign, [] { (void)(made == std::locale::classic()); }},
  {"_ZNSt6localeC1ERKS_", [] { new (locales[0]) std::locale(made); }, assign},
  {"_ZNSt6localeC2ERKS_", [] { new (locales[0]) special(mine); }, assign_mine},
  {"_ZNSt6localeD1Ev", [] { made.~locale(); new (&made) std::locale(other); }, assign},
  {"_ZNSt6localeD2Ev", [] { mine.~special(); new (&mine) special; }, assign_mine},
  {"_ZNSt6localeC1Ev", [] { std::locale now; assert(now == std::locale::classic()); }, set_global},
  {"_ZNSt6localeC2Ev", [] { special now; assert(now == std::locale::classic()); }, set_global},
  {"_ZNSt6locale6globalERKS_", set_global, [] { std::locale now; assert(now == std::locale::classic()); }},

  {"_ZNSt3pmr20get_default_resourceEv", [] { assert(std::pmr::get_default_resource() != null); }, [] { std::pmr::set_default_resource(null); }},
  {"_ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE", [] { std::pmr::set_default_resource(null); }, [] { assert(std::pmr::get_default_resource() != null); }},
  {"_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm", [] { policy._M_next_bkt(100); }, growth},
  {"_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm", [] { policy._M_need_rehash(1, 1, 9); }, growth},
  {"_ZSt11_Hash_bytesPKvmm", [] { std::_Hash_bytes(bytes, 3, 0); }, [] { bytes[1] = 'x'; }},
  {"_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv", [] { promise.set_value_at_thread_exit(1); },
   [] { assert(result.wait_for(std::chrono::seconds(0)) != std::future_status::ready); }},

  {"_ZNSt11logic_errorC1EPKc", logic::of_text, [] { bytes[1] = 'x'; }},
  {"_ZNSt11logic_errorC2EPKc", logic::of_text_special, [] { bytes[1] = 'x'; }},
  {"_ZNSt11logic_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", logic::of_string, write},
  {"_ZNSt11logic_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", logic::of_string_special, write},
  {"_ZNSt13runtime_errorC1EPKc", runtime::of_text, [] { bytes[1] = 'x'; }},
  {"_ZNSt13runtime_errorC2EPKc", runtime::of_text_special, [] { bytes[1] = 'x'; }},
  {"_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", runtime::of_string, write},
  {"_ZNSt13runtime_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", runtime::of_string_special, write},
};
/* They only change a count, so that nothing is wrong in any order. */
static const test counted[] = {
  {"_ZNSt11logic_errorC1ERKS_", logic::copy, logic::copy_again},
  {"_ZNSt11logic_errorC2ERKS_", logic::copy_special, logic::copy_special_again},
  {"_ZNSt11logic_erroraSERKS_", logic::assign, logic::copy_again},
  {"_ZNSt11logic_errorD1Ev", logic::destroy, logic::copy_again},
  {"_ZNSt11logic_errorD2Ev", logic::destroy_special, logic::copy_special_again},
  {"_ZNSt13runtime_errorC1ERKS_", runtime::copy, runtime::copy_again},
  {"_ZNSt13runtime_errorC2ERKS_", runtime::copy_special, runtime::copy_special_again},
  {"_ZNSt13runtime_erroraSERKS_", runtime::assign, runtime::copy_again},
  {"_ZNSt13runtime_errorD1Ev", runtime::destroy, runtime::copy_again},
  {"_ZNSt13runtime_errorD2Ev", runtime::destroy_special, runtime::copy_special_again},
  {"_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv", hold_one, let_one_go},
  {"_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv", let_one_go, hold_one},
  {"_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE", rethrow, hold_one},
  {"_Unwind_DeleteException", delete_one, hold_one},
};

template <class Tests> static bool run(const Tests &tests, const char *names)
{
  for (auto &t : tests)
    if (!std::strcmp(t.names, names)) {
      std::thread thread(t.change);
      t.look();
      thread.join();
      return true;
    }
  return false;
}

int main(int argc, char **argv)
{
  static const test nothing[] = {{"nothing", [] {}, [] {}}};
  return argc > 1 && !run(seen, argv[1]) && !run(counted, argv[1]) && !run(nothing, argv[1]) ? 2 : 0;
}
END
# Without optimisation what the headers have in line is called in the library all the same.
"$heddle" c++ -g -O0 -std=c++20 cases.cc -o cases || exit 1

names_of() { sed -n "/ $1\[\] = {/,/^};/ s/^  {\"\([^\"]*\)\".*/\1/p" cases.cc; }

nm -u cases | awk '{ sub("@.*", "", $2); print $2 }' | sort -u >called
missing=$({ names_of seen; names_of counted; } | tr ' ' '\n' | sort | comm -23 - called | xargs)
if [ -z "$missing" ]; then ok "the program calls all the functions"; else not_ok "the program calls all the functions" "$missing"; fi

for names in $(names_of seen); do
  expect_status "$names is seen" 1 "$heddle" explore --no-page ./cases -- "$names"
done
expect_output "what does nothing has one order" 'searched 1 execution ' "$heddle" explore --no-page ./cases -- nothing
for names in $(names_of counted); do
  expect_output "$names is tried in all orders" 'no bug found in ([2-9]|[1-9][0-9]+) executions' "$heddle" explore --no-page ./cases -- "$names"
done
