/* SPDX-License-Identifier: Apache-2.0
 *
 * What a NATS server wants to know of us, and what we want to know of it: as the programs of NATS themselves find it,
 * in files that the environment names. NATS_CREDS, NATS_CA, NATS_CERT and NATS_KEY are such files; NATS_CONTEXT is the
 * name of a context (nats context add), a file of which the same are members, and a token, or a user with a password.
 * The cluster of this machine (local_folder.h) has its own. A command line has no place for any of it.
 */
#ifndef HEDDLE_CLUSTER_CREDENTIALS_H
#define HEDDLE_CLUSTER_CREDENTIALS_H

#include "cluster/nats_library.h"
#include <stdbool.h>

/* False: one line in error. */
bool credentials_set(const struct nats_library *nats, natsOptions *options, const char *url, char *error,
                     size_t error_size);

#endif
