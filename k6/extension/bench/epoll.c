// The least that a client of RESP does, to stand beside the load generator: one thread, one epoll, the same requests on as
// many connections with as many in flight each, and no look at how long an answer took.
// Usage: epoll PORT CONNECTIONS DEPTH WARM_UP_SECONDS SECONDS
// Prints operations, seconds and CPU seconds of the window as JSON.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { REQUEST_MAX = 64, DEPTH_MAX = 64, EVENTS = 256 };

static void die(const char *what) {
	perror(what);
	exit(1);
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static double cpu(void) {
	struct rusage r;
	getrusage(RUSAGE_SELF, &r);
	return r.ru_utime.tv_sec + r.ru_stime.tv_sec + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

// Sends so many requests at once; they are small enough for the socket's buffer.
static void ask(int fd, int n) {
	char out[REQUEST_MAX * DEPTH_MAX];
	int length = 0;
	while (n-- > 0) length += sprintf(out + length, "*2\r\n$4\r\nINCR\r\n$20\r\ncounter:__rand_int__\r\n");
	if (write(fd, out, length) != length) die("write");
}

static int connected(int port) {
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0) die("connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	return fd;
}

int main(int argc, char **argv) {
	if (argc != 6) return fprintf(stderr, "usage: epoll PORT CONNECTIONS DEPTH WARM_UP_SECONDS SECONDS\n"), 2;
	int port = atoi(argv[1]), connections = atoi(argv[2]), depth = atoi(argv[3]), poll = epoll_create1(0);
	if (depth < 1 || depth > DEPTH_MAX) return fprintf(stderr, "a depth from 1 to %d\n", DEPTH_MAX), 2;
	for (int i = 0; i < connections; i++) {
		struct epoll_event e = {.events = EPOLLIN, .data.fd = connected(port)};
		if (epoll_ctl(poll, EPOLL_CTL_ADD, e.data.fd, &e) < 0) die("epoll_ctl");
		ask(e.data.fd, depth);
	}
	double begin = now() + atof(argv[4]), end = begin + atof(argv[5]), used = 0, at;
	long operations = 0;
	int measured = 0;
	while ((at = now()) < end) {
		struct epoll_event ready[EVENTS];
		char in[1 << 14];
		if (!measured && at >= begin) measured = 1, operations = 0, begin = at, used = cpu();
		int n = epoll_wait(poll, ready, EVENTS, 100);
		if (n < 0 && errno != EINTR) die("epoll_wait");
		for (int i = 0; i < n; i++) {
			ssize_t length = read(ready[i].data.fd, in, sizeof in);
			if (length <= 0) die("read");
			int answers = 0;
			for (char *c = in; (c = memchr(c, '\n', in + length - c)); c++) answers++;
			if (memchr(in, '-', length)) return fprintf(stderr, "an error: %.*s\n", (int)length, in), 1;
			operations += answers;
			ask(ready[i].data.fd, answers);
		}
	}
	printf("{\"operations\":%ld,\"seconds\":%.6f,\"cpuSeconds\":%.6f}\n", operations, at - begin, cpu() - used);
}
