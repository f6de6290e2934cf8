/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle worker: this machine's cores for searches that others start (cluster/cluster.h).
 */
#include "cli/command/commands.h"
#include "cli/help/help.h"
#include "cli/option/options.h"
#include "cluster/cluster.h"
#include "session/console.h"

int cmd_worker(int argc, char **argv)
{
  struct options options;
  if (!options_parse(&options, FOR_WORKER, argc, argv))
    return STATUS_USAGE;
  if (options.help)
    return help_command("worker", options.all_options);
  if (options.operand_count != 1) {
    console_error("worker takes the address of one NATS server: heddle worker nats://HOST:PORT");
    return STATUS_USAGE;
  }
  if (!cluster_check_address(options.operands[0]))
    return STATUS_USAGE;
  return cluster_work(options.operands[0], options.jobs ? (unsigned)options.jobs : core_count());
}
