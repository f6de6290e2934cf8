/* SPDX-License-Identifier: Apache-2.0
 *
 * Scripts; see property_script.h. Of Lua's interface (5.4) only what is needed is declared here, so that nothing has to
 * be there when this is compiled.
 */
#include "enforce/property_script.h"
#include "core/without_libc.h"
#include "enforce/order_keeping.h"
#include "enforce/order_real.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct lua_State lua_State;

static struct {
  lua_State *(*newstate)(void);
  void (*openlibs)(lua_State *);
  int (*loadstring)(lua_State *, const char *);
  int (*pcallk)(lua_State *, int arguments, int results, int handler, intptr_t context, void *continuation);
  const char *(*tolstring)(lua_State *, int index, size_t *length);
  void (*settop)(lua_State *, int index);
  const char *(*pushstring)(lua_State *, const char *);
  void (*pushinteger)(lua_State *, long long);
  void (*setglobal)(lua_State *, const char *);
} lua;

static lua_State *state;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* scripts may wait: not one of those that spin */

static bool find(void *library, void *slot, const char *name)
{
  void *found = dlsym(library, name);
  *(void **)slot = found;
  return found;
}

bool property_scripts_open(char *error, size_t size)
{
  if (state)
    return true;
  void *library = dlopen("liblua5.4.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library || !find(library, &lua.newstate, "luaL_newstate") || !find(library, &lua.openlibs, "luaL_openlibs") ||
      !find(library, &lua.loadstring, "luaL_loadstring") || !find(library, &lua.pcallk, "lua_pcallk") ||
      !find(library, &lua.tolstring, "lua_tolstring") || !find(library, &lua.settop, "lua_settop") ||
      !find(library, &lua.pushstring, "lua_pushstring") || !find(library, &lua.pushinteger, "lua_pushinteger") ||
      !find(library, &lua.setglobal, "lua_setglobal") || !(state = lua.newstate())) {
    print_text(error, size, "handlers in Lua need liblua5.4.so.0 (Debian: liblua5.4-0)");
    return false;
  }
  lua.openlibs(state);
  return true;
}

static void set_text(const char *name, const char *text)
{
  lua.pushstring(state, text);
  lua.setglobal(state, name);
}

void property_run_script(const char *text, const struct hd_property_event *event)
{
  REAL(pthread_mutex_lock)(&lock);
  set_text("property", event->property);
  set_text("event", event->event);
  set_text("message", event->message);
  set_text("thread", event->thread);
  for (unsigned i = 0; i < event->values; i++) {
    lua.pushinteger(state, event->value[i]);
    lua.setglobal(state, event->name[i]);
  }
  if (lua.loadstring(state, text) || lua.pcallk(state, 0, 0, 0, 0, NULL)) {
    const char *why = lua.tolstring(state, -1, NULL);
    char line[512];
    order_say(line, print_text(line, sizeof line, "heddle: the handler of %s fails: %s\n", event->property,
                               why ? why : "no reason is given"));
  }
  lua.settop(state, 0);
  pthread_mutex_unlock(&lock);
}
