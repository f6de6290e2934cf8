/* SPDX-License-Identifier: Apache-2.0
 *
 * The STD form of a trace, which public predictors of races and deadlocks read: an event a line,
 * `THREAD|OP(WHAT)|PLACE`, where OP is r, w, acq, rel, fork or join, and PLACE a number.
 *
 * Those six operations do not carry all of a recorded run. What they cannot say stands in lines that begin with `#`, so
 * heddle reads the file again without loss; for tools that take no comments, `grep -v '^#'` leaves exactly what the
 * option plain writes. The first line is `# heddle-std 1`. Then, each before the first line that needs it:
 *
 *     #program TEXT
 *     #site N offset=… place=… module=… text=…          places: N is PLACE
 *     #stack N SITE,SITE,…
 *     #memory addr=… length=… text=…
 *     #function name=… type=…
 *     #thread N parent=… create=… text=… ORIGIN         thread TN
 *     #object N kind=… type=… generation=… addr=… text=… ORIGIN
 *     #event OPERATION thread=… object=… … lines=K      one event; the next K lines are what the six can say of it
 *
 * ORIGIN is fixed=… inside=… index=SITE*COUNT,… chain=SITE,…. Fields that are 0 are left out. In texts, %XX stands for
 * bytes that would end a word. A line of the six without an #event before it is an event that it says in full: locking
 * and unlocking a mutex, creating and joining a thread.
 *
 * How the six say the others, such that outside tools see what is ordered and protected, if not why:
 *
 *     locks                  acq and rel of LN, of the outermost level only; attempts that failed are not there
 *     condition wait         rel of the mutex where it begins; acq and rel of the variable, acq of the mutex where it
 * ends signal, semaphore,     acq and rel of LN, one after the other barrier, once, futex read-write locks       for
 * writing like a mutex; for reading acq and rel where it is taken, and again where it is released: readers may overlap,
 * and are before and after writers atomic operations      r and w of the variable between acq and rel of a lock of its
 * own, AX freeing memory         w
 *
 * A variable, VX, is the first byte of the access: that two accesses of different size overlap is not said. All else
 * (starts, ends, sleeps, initialisation, …) has no lines.
 *
 * Files of other tools are read too: threads, locks, variables and places are what they are called. Their begin, end,
 * enter, exit, branch and dummy are left out.
 */
#ifndef HEDDLE_PREDICT_STD_H
#define HEDDLE_PREDICT_STD_H

#include "predict/trace/trace.h"
#include <stdio.h>

/* Whether a file of that name is to be of this form. */
bool std_is_meant(const char *path);

#define STD_MAGIC "# heddle-std 1"

/* Writing: a consumer of events like an analysis. plain: the six operations only. NULL: no memory. */
struct std_writer;
struct std_writer *std_open(FILE *to, bool plain);
void std_event(struct std_writer *w, const struct trace *tables, const struct event *e);
/* False if something could not be written, or there was no memory. The file stays open. */
bool std_close(struct std_writer *w);

/* Reading is trace_open(). */

#endif
