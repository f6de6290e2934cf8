/* SPDX-License-Identifier: Apache-2.0
 *
 * The C client of NATS, opened when it is needed: with the libraries it needs in turn it takes longer to load than most
 * commands of heddle run. Whoever talks to a server calls its functions as members of the table.
 */
#ifndef HEDDLE_CLUSTER_NATS_LIBRARY_H
#define HEDDLE_CLUSTER_NATS_LIBRARY_H

#include <nats/nats.h>
#include <stddef.h>

#define HD_NATS_FUNCTIONS(X)                                                                                           \
  X(nats_CloseAndWait)                                                                                                 \
  X(natsOptions_Create)                                                                                                \
  X(natsOptions_Destroy)                                                                                               \
  X(natsOptions_SetURL)                                                                                                \
  X(natsOptions_SetName)                                                                                               \
  X(natsOptions_SetTimeout)                                                                                            \
  X(natsOptions_SetMaxReconnect)                                                                                       \
  X(natsOptions_SetReconnectWait)                                                                                      \
  X(natsOptions_SetReconnectJitter)                                                                                    \
  X(natsOptions_SetErrorHandler)                                                                                       \
  X(natsOptions_SetUserCredentialsFromFiles)                                                                           \
  X(natsOptions_SetToken)                                                                                              \
  X(natsOptions_SetUserInfo)                                                                                           \
  X(natsOptions_SetSecure)                                                                                             \
  X(natsOptions_LoadCertificatesChain)                                                                                 \
  X(natsOptions_LoadCATrustedCertificates)                                                                             \
  X(natsConnection_Connect)                                                                                            \
  X(natsConnection_Destroy)                                                                                            \
  X(natsConnection_Status)                                                                                             \
  X(natsConnection_JetStream)                                                                                          \
  X(natsConnection_Publish)                                                                                            \
  X(natsConnection_PublishRequest)                                                                                     \
  X(natsConnection_Request)                                                                                            \
  X(natsConnection_Subscribe)                                                                                          \
  X(natsConnection_SubscribeSync)                                                                                      \
  X(natsConnection_Flush)                                                                                              \
  X(natsConnection_FlushTimeout)                                                                                       \
  X(natsSubscription_NextMsg)                                                                                          \
  X(natsSubscription_Fetch)                                                                                            \
  X(natsSubscription_Unsubscribe)                                                                                      \
  X(natsSubscription_Destroy)                                                                                          \
  X(natsInbox_Create)                                                                                                  \
  X(natsInbox_Destroy)                                                                                                 \
  X(natsMsg_Destroy)                                                                                                   \
  X(natsMsg_GetData)                                                                                                   \
  X(natsMsg_GetDataLength)                                                                                             \
  X(natsMsg_GetReply)                                                                                                  \
  X(natsMsg_Ack)                                                                                                       \
  X(natsMsg_Nak)                                                                                                       \
  X(natsMsg_InProgress)                                                                                                \
  X(natsMsgList_Destroy)                                                                                               \
  X(natsStatus_GetText)                                                                                                \
  X(jsCtx_Destroy)                                                                                                     \
  X(jsStreamConfig_Init)                                                                                               \
  X(jsPubOptions_Init)                                                                                                 \
  X(jsSubOptions_Init)                                                                                                 \
  X(jsOptions_Init)                                                                                                    \
  X(js_AddStream)                                                                                                      \
  X(js_UpdateStream)                                                                                                   \
  X(js_PurgeStream)                                                                                                    \
  X(js_Publish)                                                                                                        \
  X(js_PullSubscribe)                                                                                                  \
  X(js_DeleteConsumer)                                                                                                 \
  X(js_GetLastMsg)                                                                                                     \
  X(js_CreateKeyValue)                                                                                                 \
  X(kvConfig_Init)                                                                                                     \
  X(kvStore_Get)                                                                                                       \
  X(kvStore_Put)                                                                                                       \
  X(kvStore_Purge)                                                                                                     \
  X(kvStore_Destroy)                                                                                                   \
  X(kvEntry_Value)                                                                                                     \
  X(kvEntry_ValueLen)                                                                                                  \
  X(kvEntry_Destroy)

struct nats_library {
#define X(name) __typeof__(&name) name;
  HD_NATS_FUNCTIONS(X)
#undef X
};

/* NULL: it is not installed; the error says what to install. */
const struct nats_library *nats_library_open(char *error, size_t error_size);

#endif
