/* SPDX-License-Identifier: Apache-2.0
 *
 * libuv: a pipe between two threads, each with a loop of its own; what one writes the other reads to the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

static uv_file fds[2];
static char got[64];
static size_t length;

static void room(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
  (void)handle, (void)suggested;
  *buffer = uv_buf_init(malloc(4), 4);
}

static void take(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer)
{
  if (n > 0) {
    memcpy(got + length, buffer->base, n);
    length += n;
  }
  free(buffer->base);
  if (n < 0)
    uv_close((uv_handle_t *)stream, NULL);
}

static void read_all(void *unused)
{
  (void)unused;
  uv_loop_t loop;
  uv_pipe_t pipe;
  uv_loop_init(&loop);
  uv_pipe_init(&loop, &pipe, 0);
  uv_pipe_open(&pipe, fds[0]);
  uv_read_start((uv_stream_t *)&pipe, room, take);
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
}

static void wrote(uv_write_t *request, int status)
{
  (void)status;
  if (request->data)
    uv_close((uv_handle_t *)request->handle, NULL);
}

int main(void)
{
  uv_loop_t loop;
  uv_pipe_t pipe;
  uv_thread_t thread;
  uv_write_t write[2] = {{.data = NULL}, {.data = &loop}};
  uv_buf_t part[2] = {uv_buf_init("hello ", 6), uv_buf_init("world", 5)};
  uv_pipe(fds, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE);
  uv_thread_create(&thread, read_all, NULL);
  uv_loop_init(&loop);
  uv_pipe_init(&loop, &pipe, 0);
  uv_pipe_open(&pipe, fds[1]);
  for (int i = 0; i < 2; i++)
    uv_write(&write[i], (uv_stream_t *)&pipe, &part[i], 1, wrote);
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
  uv_thread_join(&thread);
  printf("%s\n", got);
  return strcmp(got, "hello world") != 0;
}
