/* SPDX-License-Identifier: Apache-2.0
 *
 * Paths: from one folder to another, and back again from any.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "file/paths.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void assert_path(char *path, const char *expected)
{
  assert_non_null(path);
  assert_string_equal(path, expected);
  free(path);
}

static void from_folder_to_folder(void **unused)
{
  (void)unused;
  assert_path(path_relative("/a/b", "/a/b"), ".");
  assert_path(path_relative("/a/b/out", "/a/b"), "..");
  assert_path(path_relative("/a/b", "/a/b/out"), "out");
  assert_path(path_relative("/a/b/out", "/a/src"), "../../src");
  assert_path(path_relative("/a/bc", "/a/bd"), "../bd");
  assert_path(path_relative("/a/b", "/a/bd"), "../bd");
  assert_path(path_relative("/a/bd", "/a/b"), "../b");
  assert_path(path_relative("/", "/a/b"), "a/b");
  assert_path(path_relative("/a/b", "/"), "../..");
  assert_path(path_relative("/", "/"), ".");
}

static void from_a_folder(void **unused)
{
  (void)unused;
  assert_path(path_join("/a", "b/c"), "/a/b/c");
  assert_path(path_join("/a", "/b"), "/b");
  assert_path(path_join("/", "b"), "/b");
}

static void resolved(void **unused)
{
  (void)unused;
  char folder[] = "/tmp/heddle-paths-XXXXXX", link[64];
  assert_non_null(mkdtemp(folder));
  char *real = realpath(folder, NULL), *expected = path_join(real, "p");
  assert_path(path_absolute(folder, "./p"), expected);
  assert_path(path_absolute("/", expected), expected);
  strcat(strcpy(link, folder), "/link");
  assert_int_equal(symlink(".", link), 0);
  assert_path(path_absolute(folder, "link/p"), expected); /* a link on the way is followed */
  free(expected);
  expected = path_join(real, "link");
  assert_path(path_absolute(folder, "link"), expected); /* at the end it is not */
  assert_null(path_absolute(folder, "none/p"));
  assert_path(path_folder(link), real);
  assert_int_equal(unlink(link), 0);
  assert_int_equal(rmdir(folder), 0);
  free(expected);
  free(real);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(from_folder_to_folder),
      cmocka_unit_test(from_a_folder),
      cmocka_unit_test(resolved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
