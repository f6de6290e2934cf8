/* SPDX-License-Identifier: Apache-2.0
 *
 * A server thread that accepts one client over a local socket and echoes; the client sleeps until the server listens, as
 * nearly every first network test does. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX};

static void *server(void *arg)
{
    char buffer[64];
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    assert(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
    assert(listen(fd, 1) == 0);
    int client = accept(fd, NULL, NULL);
    ssize_t n = read(client, buffer, sizeof(buffer));
#ifdef BUG
    buffer[0]++;
#endif
    assert(n > 0 && write(client, buffer, (size_t)n) == n);
    close(client);
    close(fd);
    return arg;
}

int main(void)
{
    pthread_t thread;
    char answer[64] = "";

    /* no file, which a run that fails would leave behind for a later one of the same number */
    snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "echo_over_socket.%d", (int)getpid());
    pthread_create(&thread, NULL, server, NULL);
    sleep(1); // give the server time to start

    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        perror("connect");
        return 1;
    }
    assert(write(fd, "hello", 5) == 5);
    assert(read(fd, answer, sizeof(answer)) == 5);
    assert(memcmp(answer, "hello", 5) == 0);
    close(fd);
    pthread_join(thread, NULL);
    return 0;
}
