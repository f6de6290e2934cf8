/* SPDX-License-Identifier: Apache-2.0
 *
 * Hunts on a cluster, see the header.
 */
#include "cli/find/cluster_hunt.h"
#include "session/console.h"

/* Samples whose results are the same whoever does which of them. */
static bool can_be_divided(const struct options *o)
{
  if (o->who == FOR_RUN)
    return strategy_table[o->strategy]->by_number;
  return o->who != FOR_CHECK || (!strategy_table[o->strategy]->remembers && o->strategy != STRATEGY_rff);
}

/* A cluster keeps the checkpoint itself; and what is not the program's own does not travel. */
bool cluster_hunt_check(const struct options *o)
{
  if (!o->cluster && o->env_pass.count) {
    console_error("--env-pass goes with --cluster: here the program gets the whole environment");
    return false;
  }
  const char *other = !o->cluster                  ? NULL
                      : o->checkpoint || o->resume ? "--checkpoint and --resume: the cluster keeps what is left"
                      : o->record                  ? "--record"
                      : o->client                  ? "--client"
                      : o->init                    ? "--init"
                      : !can_be_divided(o)
                          ? "a strategy whose executions depend on those before; use random, pos, near or abreast"
                          : NULL;
  if (other)
    console_error("--cluster does not go with %s", other);
  return !other && (!o->cluster || cluster_check_address(o->cluster));
}

void cluster_hunt_prepare(struct hunt *hunt)
{
  if (hunt->options->cluster)
    hunt->target.variables = &hunt->options->env_pass;
}

bool cluster_hunt_open(struct hunt *hunt, struct cluster_search *cluster)
{
  const struct options *o = hunt->options;
  *cluster = NO_CLUSTER;
  cluster_hunt_prepare(hunt);
  if (!o->cluster || cluster_search_open(cluster, o->cluster, &hunt->target, NULL, o->grace))
    return true;
  cluster_search_close(cluster, false);
  return false;
}

void cluster_hunt_close(struct hunt *hunt, struct cluster_search *cluster)
{
  hunt->cluster = NULL;
  cluster_search_close(cluster, true);
}

void cluster_hunt_use(const struct cluster_search *cluster, const struct options *o, struct session_request *request)
{
  if (!cluster)
    return;
  request->executor = EXECUTOR_SOCKET;
  request->relay = cluster_relay;
  request->trouble = cluster_trouble;
  request->refusal = cluster_refusal;
  request->relay_self = cluster;
  if (!o->jobs)
    request->workers = cluster->seats;
}
