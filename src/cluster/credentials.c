/* SPDX-License-Identifier: Apache-2.0
 *
 * Credentials; see the header.
 */
#include "cluster/credentials.h"
#include "cluster/local_folder.h"
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NULL: it is not given, or empty, as the programs of NATS write it. */
static const char *member(const json_t *context, const char *name)
{
  const char *text = json_string_value(json_object_get(context, name));
  return text && *text ? text : NULL;
}

static const char *file(const json_t *context, const char *name, const char *variable)
{
  const char *path = getenv(variable);
  return path && *path ? path : member(context, name);
}

static bool find_context(const char *name, char path[PATH_MAX])
{
  const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
  if (!strcmp(name, "..") || strchr(name, '/'))
    return false;
  if (base && *base)
    return snprintf(path, PATH_MAX, "%s/nats/context/%s.json", base, name) < PATH_MAX;
  return home && snprintf(path, PATH_MAX, "%s/.config/nats/context/%s.json", home, name) < PATH_MAX;
}

/* NULL: none is named. False: one line in error. */
static bool read_context(json_t **context, char *error, size_t error_size)
{
  const char *name = getenv("NATS_CONTEXT");
  char path[PATH_MAX];
  json_error_t why;
  *context = NULL;
  if (!name || !*name)
    return true;
  *context = find_context(name, path) ? json_load_file(path, 0, &why) : NULL;
  if (!*context)
    snprintf(error, error_size, "there is no NATS context \"%.100s\" (NATS_CONTEXT), or it cannot be read", name);
  else if (member(*context, "nkey"))
    snprintf(error, error_size, "the NATS context \"%.100s\" has an nkey, which heddle cannot use: make it creds",
             name);
  return *context && !member(*context, "nkey");
}

static natsStatus set_secrets(const struct nats_library *n, natsOptions *options, const char *url,
                              const json_t *context)
{
  const char *creds = file(context, "creds", "NATS_CREDS"), *token = member(context, "token");
  const char *user = member(context, "user"), *password = member(context, "password");
  char secret[SECRET_SIZE];
  natsStatus s = NATS_OK;
  if (local_secret(url, secret))
    return n->natsOptions_SetToken(options, secret);
  if (creds)
    s = n->natsOptions_SetUserCredentialsFromFiles(options, creds, NULL);
  if (!s && token)
    s = n->natsOptions_SetToken(options, token);
  if (!s && user)
    s = n->natsOptions_SetUserInfo(options, user, password ? password : "");
  return s;
}

static natsStatus set_certificates(const struct nats_library *n, natsOptions *options, const json_t *context)
{
  const char *ca = file(context, "ca", "NATS_CA");
  const char *certificate = file(context, "cert", "NATS_CERT"), *key = file(context, "key", "NATS_KEY");
  natsStatus s = ca || certificate ? n->natsOptions_SetSecure(options, true) : NATS_OK;
  if (!s && ca)
    s = n->natsOptions_LoadCATrustedCertificates(options, ca);
  if (!s && certificate)
    s = n->natsOptions_LoadCertificatesChain(options, certificate, key ? key : certificate);
  return s;
}

bool credentials_set(const struct nats_library *n, natsOptions *options, const char *url, char *error,
                     size_t error_size)
{
  json_t *context;
  bool good = read_context(&context, error, error_size);
  natsStatus s = NATS_OK;
  if (good)
    s = set_secrets(n, options, url, context);
  if (good && !s)
    s = set_certificates(n, options, context);
  if (s)
    snprintf(error, error_size,
             "the credentials for %.200s cannot be used (NATS_CREDS, NATS_CA, NATS_CERT, NATS_KEY or NATS_CONTEXT): %s",
             url, n->natsStatus_GetText(s));
  json_decref(context);
  return good && !s;
}
