/* SPDX-License-Identifier: Apache-2.0
 *
 * Asking git; see the header.
 */
#include "change/git.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* All that can be read, with a 0 behind it; NULL: no memory, or an error. */
static char *read_all(int fd, size_t *length)
{
  char *text = NULL;
  size_t room = 0;
  FILE *in = fdopen(fd, "r");
  if (!in) {
    close(fd);
    return NULL;
  }
  *length = 0;
  for (size_t n = 1; n;) {
    char *grown = realloc(text, room += 65536 + room / 2);
    if (!grown)
      break;
    text = grown;
    n = fread(text + *length, 1, room - *length - 1, in);
    *length += n;
    text[*length] = 0;
  }
  bool whole = text && feof(in) && !ferror(in);
  fclose(in);
  if (!whole)
    free(text);
  return whole ? text : NULL;
}

#define ANSWER_FAILED (-1)

/* What git prints, malloc'ed; *status is its exit status, or ANSWER_FAILED: it could not be run. NULL: nothing of use.
 */
static char *ask(const char *folder, const char *const *words, size_t *length, int *status)
{
  const char *argv[24] = {"git",
                          "-C",
                          folder,
                          "--no-pager",
                          "--literal-pathspecs",
                          "-c",
                          "core.quotePath=off",
                          "-c",
                          "core.fsmonitor=false"};
  size_t count = 9;
  int ends[2];
  pid_t pid;
  for (; *words && count < 23; words++)
    argv[count++] = *words;
  *status = ANSWER_FAILED;
  *length = 0;
  if (pipe2(ends, O_CLOEXEC) != 0)
    return NULL;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  bool started = posix_spawnp(&pid, "git", &actions, NULL, (char **)argv, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  char *answer = read_all(ends[0], length);
  int wait_status = 0;
  while (started && waitpid(pid, &wait_status, 0) < 0 && errno == EINTR)
    ;
  if (started)
    *status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128;
  if (*status == 0 && answer)
    return answer;
  free(answer);
  return NULL;
}

/* The one line that git answers. */
static char *ask_line(const char *folder, const char *const *words, int *status)
{
  size_t length;
  char *answer = ask(folder, words, &length, status);
  if (answer)
    answer[strcspn(answer, "\n")] = 0;
  return answer;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The commit that is named, malloc'ed. */
static char *commit_of(const char *folder, const char *revision)
{
  int status;
  char *name = NULL;
  if (asprintf(&name, "%s^{commit}", revision) < 0)
    return NULL;
  char *commit = ask_line(folder, WORDS("rev-parse", "--verify", "--quiet", "--end-of-options", name), &status);
  free(name);
  return commit;
}

bool git_open(struct git *g, const char *revision, char *error, size_t error_size)
{
  int status;
  *g = (struct git){0};
  if (!revision[0] || revision[0] == '-') {
    snprintf(error, error_size, "\"%s\" is no revision; name a commit, a branch or a tag", revision);
    return false;
  }
  g->root = ask_line(".", WORDS("rev-parse", "--show-toplevel"), &status);
  if (!g->root || !g->root[0]) {
    snprintf(error, error_size,
             status == 127 || status == ANSWER_FAILED
                 ? "git cannot be run; install git"
                 : "the current folder is not in the work tree of a git repository");
    git_close(g);
    return false;
  }
  char *commit = commit_of(g->root, revision);
  if (!commit) {
    snprintf(error, error_size, "the repository has no revision \"%s\" (in a shallow clone, fetch it first)", revision);
    git_close(g);
    return false;
  }
  g->base = ask_line(g->root, WORDS("merge-base", "--end-of-options", commit, "HEAD"), &status);
  if (g->base && g->base[0]) {
    free(commit);
  } else { /* histories that have nothing in common */
    free(g->base);
    g->base = commit;
  }
  return true;
}

void git_close(struct git *g)
{
  free(g->root);
  free(g->base);
  *g = (struct git){0};
}

char *git_diff(const struct git *g, char *error, size_t error_size)
{
  size_t length;
  int status;
  char *text =
      ask(g->root,
          WORDS("diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames", "--ignore-submodules",
                "--src-prefix=a/", "--dst-prefix=b/", "--diff-algorithm=histogram", g->base, "--"),
          &length, &status);
  if (!text)
    snprintf(error, error_size, "git diff failed (status %d)", status);
  return text;
}

char *git_old_text(const struct git *g, const char *path, size_t *length)
{
  int status;
  char *name = NULL;
  if (asprintf(&name, "%s:%s", g->base, path) < 0)
    return NULL;
  char *text = ask(g->root, WORDS("cat-file", "blob", name), length, &status);
  free(name);
  return text;
}
