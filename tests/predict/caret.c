/* SPDX-License-Identifier: Apache-2.0
 *
 * A text window. The main thread holds the frame's lock and moves the caret, which locks the caret; the event thread
 * holds the caret's lock when it blinks, and asks the frame to paint, which locks the frame. Both locks are taken over and
 * over at other places too, one at a time, so it is the context that tells the two bad places from all the harmless ones.
 *
 * In the twin the caret blinks first and asks to be painted afterwards.
 *
 * verdict: deadlock
 * threads: 2
 * predicted: 1
 * real: 1
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t frame_lock = PTHREAD_MUTEX_INITIALIZER, caret_lock = PTHREAD_MUTEX_INITIALIZER;
static int painted, width = 80; /* frame_lock */
static int column, visible;     /* caret_lock */

static void repaint(void)
{
  pthread_mutex_lock(&frame_lock);
  painted++;
  pthread_mutex_unlock(&frame_lock);
}

static void resize(int to)
{
  pthread_mutex_lock(&frame_lock);
  width = to;
  pthread_mutex_unlock(&frame_lock);
}

static int columns(void)
{
  pthread_mutex_lock(&frame_lock);
  int n = width;
  pthread_mutex_unlock(&frame_lock);
  return n;
}

static void set_caret(int to)
{
  pthread_mutex_lock(&caret_lock);
  column = to;
  pthread_mutex_unlock(&caret_lock);
}

static int caret_column(void)
{
  pthread_mutex_lock(&caret_lock);
  int n = column;
  pthread_mutex_unlock(&caret_lock);
  return n;
}

static void hide_caret(void)
{
  pthread_mutex_lock(&caret_lock);
  visible = 0;
  pthread_mutex_unlock(&caret_lock);
}

static void insert_text(int length)
{
  pthread_mutex_lock(&frame_lock);
  painted++;
  set_caret(length % width);
  pthread_mutex_unlock(&frame_lock);
}

static void blink(void)
{
  pthread_mutex_lock(&caret_lock);
  visible = !visible;
#ifdef FIXED
  pthread_mutex_unlock(&caret_lock);
  repaint();
#else
  repaint();
  pthread_mutex_unlock(&caret_lock);
#endif
}

static void *events(void *arg)
{
  for (int i = 0; i < 2; i++) {
    repaint();
    hide_caret();
    set_caret(columns() - 1);
  }
  blink();
  repaint();
  return arg;
}

int main(void)
{
  pthread_t event_thread;

  resize(40);
  set_caret(0);
  pthread_create(&event_thread, NULL, events, NULL);
  usleep(5000);
  for (int i = 0; i < 2; i++)
    if (caret_column() >= columns())
      resize(columns() + 1);
  insert_text(7);
  pthread_join(event_thread, NULL);
  return caret_column() < 0;
}
