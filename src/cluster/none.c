/* SPDX-License-Identifier: Apache-2.0
 *
 * What there is of clusters where the client library of NATS was not there when heddle was built: a line that says so.
 */
#include "cluster/cluster.h"
#include "session/console.h"

static bool there_is_none(void)
{
  console_error("heddle was built without NATS, which clusters need: install libnats-dev and build it again");
  return false;
}

bool cluster_check_address(const char *url)
{
  (void)url;
  return there_is_none();
}

bool cluster_search_open(struct cluster_search *search, const char *url, const struct target *target,
                         const struct identity *identity, double grace)
{
  (void)url, (void)target, (void)identity, (void)grace;
  *search = NO_CLUSTER;
  return there_is_none();
}

bool cluster_search_keep(struct cluster_search *search)
{
  (void)search;
  return there_is_none();
}

void cluster_search_close(struct cluster_search *search, bool finished)
{
  (void)search, (void)finished;
}

void cluster_relay(const struct session_request *request, int wire)
{
  (void)request, (void)wire;
}

const char *cluster_trouble(const void *self)
{
  (void)self;
  return NULL;
}

const char *cluster_refusal(const void *self)
{
  (void)self;
  return NULL;
}

int cluster_work(const char *url, unsigned cores)
{
  (void)url, (void)cores;
  there_is_none();
  return STATUS_FAILED;
}

int cluster_count_cores(const char *url)
{
  (void)url;
  there_is_none();
  return -1;
}
