/* SPDX-License-Identifier: Apache-2.0
 *
 * SQLite: threads that share one connection in serialized mode, on a database in memory, or in a file when one is named.
 */
#include <assert.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 2
#define ROWS 3

static sqlite3 *db;

static void run(const char *sql)
{
  char *error = NULL;
  if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", sql, error);
    exit(1);
  }
}

static void *insert(void *arg)
{
  for (int i = 0; i < ROWS; i++) {
    char sql[80];
    snprintf(sql, sizeof sql, "INSERT INTO t VALUES (%d)", (int)(long)arg * 10 + i);
    run(sql);
  }
  return NULL;
}

static int show(void *unused, int n, char **value, char **name)
{
  (void)unused, (void)n, (void)name;
  printf("rows %s sum %s\n", value[0], value[1]);
  return 0;
}

int main(int argc, char **argv)
{
  pthread_t thread[THREADS];
  if (argc > 1)
    unlink(argv[1]);
  if (sqlite3_open_v2(argc > 1 ? argv[1] : ":memory:", &db,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, NULL) != SQLITE_OK)
    return 1;
  run("CREATE TABLE t (x INTEGER)");
  for (long i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, insert, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  sqlite3_exec(db, "SELECT count(*), sum(x) FROM t", show, NULL, NULL);
  sqlite3_close(db);
  sqlite3_shutdown();
  return 0;
}
