/* SPDX-License-Identifier: Apache-2.0
 *
 * Examples of each rule, for --explain: what is told, and what is not. They are C that e2e/lint_rules lints, behind the
 * usual headers and a few declarations.
 */
#include "lint/lint_rules.h"
#include <string.h>

#define ACCEPTS(turn)                                                                                                  \
  "void listen_to(int port)\n{\n  for (;;) {\n    int peer = accept(port, NULL, NULL);\n" turn "  }\n}\n"

static const struct {
  const char *rule;
  struct lint_example example;
} examples[] = {
    {"unbounded-threads",
     {ACCEPTS("    pthread_create(&thread, NULL, serve, (void *)(long)peer);\n"),
      ACCEPTS("    while (sem_wait(&slots) != 0)\n      ;\n"
              "    pthread_create(&thread, NULL, serve, (void *)(long)peer); /* serve() posts */\n")}},
    {"unbounded-threads-possible",
     {"void start_more(void)\n{\n  while (run(count))\n    pthread_create(&thread, NULL, serve, NULL);\n}\n",
      "void start_all(void)\n{\n  for (int i = 0; i < 8; i++)\n    pthread_create(&thread, NULL, serve, NULL);\n}\n"}},
    {"unbounded-processes",
     {ACCEPTS("    if (fork() == 0)\n      _exit(run(peer));\n"),
      "void start_all(void)\n{\n  for (int i = 0; i < 4; i++)\n    if (fork() == 0)\n      _exit(run(i));\n}\n"}},
    {"unbounded-sockets", {ACCEPTS("    count += run(peer);\n"), ACCEPTS("    run(peer);\n    close(peer);\n")}},
    {"unbounded-files",
     {ACCEPTS("    int file = open(\"log\", O_RDONLY);\n    count += run(file + peer);\n"),
      ACCEPTS("    int file = open(\"log\", O_RDONLY);\n    run(file + peer);\n    close(file);\n")}},
    {"unbounded-memory",
     {ACCEPTS("    char *line = malloc(64);\n    count += run(peer + *line);\n"),
      ACCEPTS("    char *line = malloc(64);\n    run(peer + *line);\n    free(line);\n")}},
    {"unbounded-queue",
     {ACCEPTS("    struct job *j = new_job(peer);\n    TAILQ_INSERT_TAIL(&jobs, j, entry);\n"),
      ACCEPTS("    struct job *j = new_job(peer);\n    if (count < 100) {\n      count++;\n"
              "      TAILQ_INSERT_TAIL(&jobs, j, entry);\n    }\n")}},
    {"wait-outside-loop",
     {"void wait_until_ready(void)\n{\n  pthread_mutex_lock(&mutex);\n  if (!ready)\n"
      "    pthread_cond_wait(&changed, &mutex);\n  pthread_mutex_unlock(&mutex);\n}\n",
      "void wait_until_ready(void)\n{\n  pthread_mutex_lock(&mutex);\n  while (!ready)\n"
      "    pthread_cond_wait(&changed, &mutex);\n  pthread_mutex_unlock(&mutex);\n}\n"}},
    {"wait-without-mutex",
     {"void wait_until_ready(void)\n{\n  pthread_mutex_lock(&mutex);\n  int now = ready;\n"
      "  pthread_mutex_unlock(&mutex);\n  while (!now) {\n    pthread_cond_wait(&changed, &mutex);\n    now = ready;\n"
      "  }\n}\n",
      "void wait_until_ready(void)\n{\n  pthread_mutex_lock(&mutex);\n  while (!ready)\n"
      "    pthread_cond_wait(&changed, &mutex);\n  pthread_mutex_unlock(&mutex);\n}\n"}},
    {"unlocked-predicate",
     {"void wait_until_ready(void)\n{\n  pthread_mutex_lock(&mutex);\n  while (!ready)\n"
      "    pthread_cond_wait(&changed, &mutex);\n  pthread_mutex_unlock(&mutex);\n}\n\n"
      "void tell(void)\n{\n  ready = 1;\n  pthread_cond_signal(&changed);\n}\n",
      "void wait_until_ready(void)\n{\n  pthread_mutex_lock(&mutex);\n  while (!ready)\n"
      "    pthread_cond_wait(&changed, &mutex);\n  pthread_mutex_unlock(&mutex);\n}\n\n"
      "void tell(void)\n{\n  pthread_mutex_lock(&mutex);\n  ready = 1;\n  pthread_mutex_unlock(&mutex);\n"
      "  pthread_cond_signal(&changed);\n}\n"}},
    {"lock-kept",
     {"int add(int more)\n{\n  pthread_mutex_lock(&mutex);\n  if (more < 0)\n    return -1;\n  count += more;\n"
      "  pthread_mutex_unlock(&mutex);\n  return 0;\n}\n",
      "int add(int more)\n{\n  int result = -1;\n  pthread_mutex_lock(&mutex);\n  if (more < 0)\n    goto out;\n"
      "  count += more;\n  result = 0;\nout:\n  pthread_mutex_unlock(&mutex);\n  return result;\n}\n"}},
    {"locked-pointer",
     {"struct job *find(int which)\n{\n  pthread_mutex_lock(&mutex);\n  struct job *j = &table[which];\n"
      "  pthread_mutex_unlock(&mutex);\n  return j;\n}\n",
      "struct job *find(int which)\n{\n  pthread_mutex_lock(&mutex);\n  struct job *j = &table[which];\n"
      "  j->references++;\n  pthread_mutex_unlock(&mutex);\n  return j;\n}\n"}},
    {"double-checked-locking",
     {"char *get(void)\n{\n  if (!shared) {\n    pthread_mutex_lock(&mutex);\n    if (!shared)\n"
      "      shared = malloc(16);\n    pthread_mutex_unlock(&mutex);\n  }\n  return shared;\n}\n",
      "static _Atomic(char *) safe;\n\nchar *get(void)\n{\n  if (!safe) {\n    pthread_mutex_lock(&mutex);\n"
      "    if (!safe)\n      safe = malloc(16);\n    pthread_mutex_unlock(&mutex);\n  }\n  return safe;\n}\n"}},
    {"volatile-as-atomic",
     {"static volatile int stop;\n\nvoid *work(void *p)\n{\n  while (!stop)\n    run(1);\n  return p;\n}\n\n"
      "void start(void)\n{\n  pthread_create(&thread, NULL, work, NULL);\n}\n\nvoid end(void)\n{\n  stop = 1;\n}\n",
      "static _Atomic int stop;\n\nvoid *work(void *p)\n{\n  while (!stop)\n    run(1);\n  return p;\n}\n\n"
      "void start(void)\n{\n  pthread_create(&thread, NULL, work, NULL);\n}\n\nvoid end(void)\n{\n  stop = 1;\n}\n"}},
    {"sleep-to-wait",
     {"void start(void)\n{\n  pthread_create(&thread, NULL, serve, NULL);\n  sleep(1);\n  run(ready);\n}\n",
      "void start(void)\n{\n  pthread_create(&thread, NULL, serve, NULL);\n  pthread_join(thread, NULL);\n"
      "  run(ready);\n}\n"}},
    {"one-thread-function",
     {"void *work(void *line)\n{\n  return strtok(line, \" \");\n}\n\n"
      "void start(char *line[2])\n{\n  for (int i = 0; i < 2; i++)\n    pthread_create(&thread, NULL, work, "
      "line[i]);\n}\n",
      "void *work(void *line)\n{\n  char *rest;\n  return strtok_r(line, \" \", &rest);\n}\n\n"
      "void start(char *line[2])\n{\n  for (int i = 0; i < 2; i++)\n    pthread_create(&thread, NULL, work, "
      "line[i]);\n}\n"}},
    {"unsafe-in-handler",
     {"void handle(int number)\n{\n  printf(\"%d\\n\", number);\n}\n\n"
      "void start(void)\n{\n  signal(SIGINT, handle);\n}\n",
      "static volatile sig_atomic_t stop;\n\nvoid handle(int number)\n{\n  stop = number;\n}\n\n"
      "void start(void)\n{\n  signal(SIGINT, handle);\n}\n"}},
    {"local-to-detached",
     {"void start(int peer)\n{\n  struct job j = {.peer = peer};\n  pthread_create(&thread, NULL, serve, &j);\n"
      "  pthread_detach(thread);\n}\n",
      "void start(int peer)\n{\n  struct job *j = new_job(peer);\n  pthread_create(&thread, NULL, serve, j);\n"
      "  pthread_detach(thread);\n}\n"}},
};

_Static_assert(sizeof examples / sizeof *examples == LINT_RULES, "each rule has its examples");

const struct lint_example *lint_example_of(const char *rule)
{
  for (unsigned i = 0; i < LINT_RULES; i++)
    if (!strcmp(examples[i].rule, rule))
      return &examples[i].example;
  return NULL;
}
