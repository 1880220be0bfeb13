/* Looks a name up as often as told. Prints for each time the error, or 0, and how many microseconds it took. */
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  for (int left = atoi(argv[2]); left > 0; left--) {
    struct addrinfo wanted = {.ai_socktype = SOCK_DGRAM}, *found;
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    int error = getaddrinfo(argv[1], NULL, &wanted, &found);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%d %ld\n", error, (end.tv_sec - start.tv_sec) * 1000000 + (end.tv_nsec - start.tv_nsec) / 1000);
    if (error == 0) freeaddrinfo(found);
  }
}
