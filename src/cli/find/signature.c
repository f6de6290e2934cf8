/* SPDX-License-Identifier: Apache-2.0
 *
 * Signatures and their key, see the header. Nothing is printed.
 */
#include "cli/find/signature.h"
#include "file/sha256.h"
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_BYTES 32
#define KEY_NAME "key"

/* ---- folders ---- */

enum { KEY_FOLDERS = 5 };

/* Where a key may lie, the best place first; malloc'ed, NULL for none. */
static char *key_folder(unsigned which)
{
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME"), *run = getenv("XDG_RUNTIME_DIR");
  const struct passwd *entry = which == 2 ? getpwuid(geteuid()) : NULL;
  const char *base = which == 0 ? state : which == 1 ? home : which == 2 && entry ? entry->pw_dir : run;
  static const char *const below[] = {"/heddle", "/.local/state/heddle", "/.local/state/heddle", "/heddle"};
  char *path;
  if (which == KEY_FOLDERS - 1 ? asprintf(&path, "/tmp/heddle-%u", (unsigned)geteuid()) < 0
                               : !base || *base != '/' || asprintf(&path, "%s%s", base, below[which]) < 0)
    return NULL;
  return path;
}

static bool is_ours(const char *folder)
{
  struct stat status;
  return stat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

/* Makes the folder and those above it that are missing, in a folder of ours only: root must not leave its own in
 * somebody's home. */
static bool make_folder(char *path)
{
  struct stat status;
  char *slash = strrchr(path, '/');
  if (stat(path, &status) == 0 || !slash || slash == path)
    return is_ours(path);
  *slash = '\0';
  const bool above = make_folder(path);
  *slash = '/';
  return above && (mkdir(path, 0700) == 0 || is_ours(path));
}

/* The folder, open; -1: it is not there, or not ours alone. shared: the one above it is everybody's. */
static int open_folder(char *path, bool make, bool shared)
{
  struct stat status;
  if (make && shared)
    mkdir(path, 0700); /* whose it is is seen below */
  else if (make && !make_folder(path))
    return -1;
  const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == geteuid() && !(status.st_mode & 022))
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

/* ---- the key ---- */

static bool read_key(int folder, unsigned char key[KEY_BYTES])
{
  struct stat status;
  const int fd = openat(folder, KEY_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  const bool good = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
                    !(status.st_mode & 077) && read(fd, key, KEY_BYTES) == KEY_BYTES;
  if (fd >= 0)
    close(fd);
  return good;
}

/* Whole or not at all: of two heddles that make one at the same time the first wins. */
static void make_key(int folder)
{
  unsigned char key[KEY_BYTES];
  char name[64];
  snprintf(name, sizeof name, KEY_NAME ".%ld", (long)getpid());
  if (getrandom(key, sizeof key, 0) != sizeof key)
    return;
  const int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0)
    return;
  const bool written = write(fd, key, sizeof key) == sizeof key;
  if (close(fd) == 0 && written)
    linkat(folder, name, folder, KEY_NAME, 0);
  unlinkat(folder, name, 0);
}

static bool find_key(unsigned which, bool make, unsigned char key[KEY_BYTES])
{
  char *path = key_folder(which);
  const int folder = path ? open_folder(path, make, which == KEY_FOLDERS - 1) : -1;
  free(path);
  if (folder < 0)
    return false;
  bool found = read_key(folder, key);
  if (!found && make) {
    make_key(folder);
    found = read_key(folder, key);
  }
  close(folder);
  return found;
}

char *private_folder(void)
{
  unsigned char key[KEY_BYTES];
  for (unsigned i = 0; i < KEY_FOLDERS; i++)
    if (find_key(i, true, key))
      return key_folder(i);
  return NULL;
}

/* ---- the signature ---- */

/* With its length in front: no two lists of words look the same. */
static void put(struct hmac *hash, const void *data, size_t bytes)
{
  unsigned char length[8];
  for (unsigned i = 0; i < sizeof length; i++)
    length[i] = (unsigned char)((uint64_t)bytes >> (8 * i));
  sha256_add(&hash->inner, length, sizeof length);
  sha256_add(&hash->inner, data, bytes);
}

static void put_text(struct hmac *hash, const char *text)
{
  put(hash, text, strlen(text));
}

static void make_signature(const struct signed_command *c, const unsigned char key[KEY_BYTES],
                           char signature[SCHEDULE_SIGNATURE_SIZE])
{
  struct hmac hash;
  unsigned char out[SHA256_BYTES];
  hmac_begin(&hash, key, KEY_BYTES);
  put_text(&hash, "heddle signature 1");
  put_text(&hash, c->folder);
  put_text(&hash, c->program);
  put_text(&hash, c->file->program);
  put_text(&hash, framework_name[c->file->framework]);
  put_text(&hash, c->file->test ? c->file->test : "");
  put(&hash, c->input ? c->input : "", c->input_bytes);
  for (size_t i = 0; i < c->file->arg_count; i++)
    put_text(&hash, c->file->args[i]);
  hmac_end(&hash, out);
  for (size_t i = 0; i < SHA256_BYTES; i++)
    snprintf(signature + 2 * i, 3, "%02x", out[i]);
}

bool signature_make(const struct signed_command *command, char signature[SCHEDULE_SIGNATURE_SIZE])
{
  unsigned char key[KEY_BYTES];
  for (unsigned i = 0; i < KEY_FOLDERS; i++)
    if (find_key(i, true, key)) {
      make_signature(command, key, signature);
      return true;
    }
  return false;
}

/* Any key of the user's will do: HOME may have been another one. */
bool signature_fits(const struct signed_command *command, const char signature[SCHEDULE_SIGNATURE_SIZE])
{
  unsigned char key[KEY_BYTES];
  char right[SCHEDULE_SIGNATURE_SIZE];
  for (unsigned i = 0; i < KEY_FOLDERS && *signature; i++)
    if (find_key(i, false, key)) {
      make_signature(command, key, right);
      if (!strcmp(signature, right))
        return true;
    }
  return false;
}
