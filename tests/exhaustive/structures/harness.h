/* SPDX-License-Identifier: Apache-2.0
 *
 * What the programs of this folder begin with; harness_main.h ends them: THREADS threads call work(), which hands back
 * a small number, and main calls check() when all have ended.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#ifdef QUIET /* for tools that cannot print */
#define printf(...) ((void)0)
#endif
#ifndef THREADS
#define THREADS 2
#endif

#endif
