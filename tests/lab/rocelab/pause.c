/* SPDX-License-Identifier: Apache-2.0 */
/* The process that keeps a pod's sandbox alive: waits for a signal to end it, and collects orphans. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  sigset_t waited;
  sigemptyset(&waited);
  sigaddset(&waited, SIGTERM);
  sigaddset(&waited, SIGINT);
  sigaddset(&waited, SIGCHLD);
  sigprocmask(SIG_BLOCK, &waited, NULL);
  for (;;) {
    int received = 0;
    if (sigwait(&waited, &received) == 0 && received != SIGCHLD) {
      return 0;
    }
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
  }
}
