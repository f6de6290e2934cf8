/* SPDX-License-Identifier: Apache-2.0
 *
 * Hunts whose searches are done on a cluster: what the commands that take --cluster have in common.
 */
#ifndef HEDDLE_CLI_CLUSTER_HUNT_H
#define HEDDLE_CLI_CLUSTER_HUNT_H

#include "cli/find/hunt.h"
#include "cluster/cluster.h"

/* Whether --cluster and what goes with it go together with the other options. False: an error was printed. */
bool cluster_hunt_check(const struct options *options);

/* With --cluster, what is run here is given no more of the environment than what is run there. */
void cluster_hunt_prepare(struct hunt *hunt);

/* A search without checkpoints, if --cluster asks for one; hunt->cluster says when it is used. False: an error was
 * printed. */
bool cluster_hunt_open(struct hunt *hunt, struct cluster_search *cluster);
void cluster_hunt_close(struct hunt *hunt, struct cluster_search *cluster);

/* The session's jobs are done there; NULL: here. */
void cluster_hunt_use(const struct cluster_search *cluster, const struct options *options,
                      struct session_request *request);

#endif
