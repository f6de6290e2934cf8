/* SPDX-License-Identifier: Apache-2.0
 *
 * Paths of files. All results are malloc'ed; NULL with errno set: there is no memory, or a folder that had to be
 * resolved is not there.
 */
#ifndef HEDDLE_TRACE_PATHS_H
#define HEDDLE_TRACE_PATHS_H

/* A path as seen from a folder; an absolute one stays as it is. */
char *path_join(const char *folder, const char *path);

/* The folder a path lies in, resolved: absolute and without links. */
char *path_folder(const char *path);

/* A path as seen from a folder, absolute, its own folder resolved, whether it is there or not. A link at its end stays:
 * it may lead elsewhere tomorrow, and is the same name. */
char *path_absolute(const char *folder, const char *path);

/* How to get from one folder to another, both resolved: "..", "../src", ".". */
char *path_relative(const char *from, const char *to);

#endif
