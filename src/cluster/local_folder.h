/* SPDX-License-Identifier: Apache-2.0
 *
 * The folder of the cluster on this machine (heddle cluster up): where it is, and the secret in it without which its
 * server hears nobody. Others may log in here, too, and a worker runs whatever its server brings.
 */
#ifndef HEDDLE_CLUSTER_LOCAL_FOLDER_H
#define HEDDLE_CLUSTER_LOCAL_FOLDER_H

#include <limits.h>
#include <stdbool.h>

#define SECRET_SIZE 33
#define LOCAL_ADDRESS "address" /* files in it */
#define LOCAL_SECRET "secret"

void local_folder(char folder[PATH_MAX]);

/* The secret of the cluster here, if the address is its own. False: it is not, or the folder is not ours alone. */
bool local_secret(const char *address, char secret[SECRET_SIZE]);

#endif
