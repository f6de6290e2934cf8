/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of properties (heddle enforce, heddle spec): functions of the program that a specification names, as in
 *
 *     @fail { call on_violation }
 *     @deadlock { call on_deadlock }
 *
 * A handler is called by the thread whose event it is about; that of a deadlock by a thread of heddle's, and when it
 * returns the process ends with status 3. No lock is held meanwhile, and what a handler does is no event. Not needed
 * where there are no handlers.
 */
#ifndef HEDDLE_PROPERTY_H
#define HEDDLE_PROPERTY_H

#ifdef __cplusplus
extern "C" {
#endif

#define HD_PROPERTY_VALUES 4

struct hd_property_event {
  const char *property, *event; /* of a deadlock, the event is "deadlock" */
  const char *message;          /* what the specification says; never NULL */
  const char *thread;           /* who came to it */
  unsigned values;
  const char *name[HD_PROPERTY_VALUES]; /* of parameters that the event binds */
  long long value[HD_PROPERTY_VALUES];
};

typedef void hd_property_handler(const struct hd_property_event *event);

#ifdef __cplusplus
}
#endif

#endif
