/* A load generator that costs little: prebuilt request frames over plain sockets and one epoll loop.
 *
 *   load run PORT DEPTH WARMUP_MS MEASURE_MS < frames     prints "measuring", then one line of JSON
 *   load echo PORT REPLY_BYTES                            answers every frame with so many bytes: how fast is `load run` itself?
 *
 * frames: int32 connections, int32 frames per connection, int32 frame bytes, then all frames; a connection sends its own in a
 * circle and keeps DEPTH of them unanswered. Every answer must equal the connection's first one but for the correlation id;
 * the very first answer is part of the JSON (hex), so that the caller can see that it is no error.
 * All integers are in network order. Answers come in the order of requests, so a queue of send times gives latencies.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define DEPTH_MAX 256
#define BUFFER_BYTES (1 << 18)
#define LATENCY_US_MAX 2000000

struct connection {
    int fd;
    unsigned char *frames;           /* its frames, one after the other, twice over: any run of them is one write */
    int next;                        /* which frame is sent next */
    int64_t sent_at[DEPTH_MAX];      /* when the unanswered ones were sent, a ring */
    int oldest, unanswered;
    unsigned char *answer;           /* the first answer */
    int answer_bytes;
    unsigned char in[BUFFER_BYTES];
    int in_bytes;
};

static uint32_t latencies[LATENCY_US_MAX];
static int frames_each, frame_bytes, depth;
static int64_t answered, longest_us;
static int measuring;

static void die(const char *what) {
    perror(what);
    exit(1);
}

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int32_t int32_at(const unsigned char *p) {
    uint32_t value;
    memcpy(&value, p, 4);
    return (int32_t)ntohl(value);
}

static void read_exactly(int fd, void *into, size_t size) {
    for (size_t got = 0; got < size;) {
        ssize_t n = read(fd, (char *)into + got, size - got);
        if (n <= 0) die("read frames");
        got += n;
    }
}

static void send_frames(struct connection *c, int count) {
    int64_t at = now_ns();
    while (count > 0) {
        int run = count < frames_each ? count : frames_each;
        const unsigned char *from = c->frames + (size_t)c->next * frame_bytes;
        size_t left = (size_t)run * frame_bytes;
        while (left > 0) {
            ssize_t n = send(c->fd, from, left, MSG_NOSIGNAL);
            if (n < 0 && errno == EAGAIN) continue; /* DEPTH frames fit into any socket buffer; this is a moment at most */
            if (n <= 0) die("send");
            from += n;
            left -= n;
        }
        for (int i = 0; i < run; i++) c->sent_at[(c->oldest + c->unanswered++) % DEPTH_MAX] = at;
        c->next = (c->next + run) % frames_each;
        count -= run;
    }
}

static void take_answer(struct connection *c, const unsigned char *frame, int bytes, int64_t at) {
    if (!c->answer) {
        c->answer = memcpy(malloc(bytes), frame, bytes);
        c->answer_bytes = bytes;
    } else if (bytes != c->answer_bytes || memcmp(frame + 8, c->answer + 8, bytes - 8)) {
        fprintf(stderr, "an answer of %d bytes differs from the first one\n", bytes);
        exit(1);
    }
    int64_t us = (at - c->sent_at[c->oldest]) / 1000;
    c->oldest = (c->oldest + 1) % DEPTH_MAX;
    c->unanswered--;
    if (!measuring) return;
    answered++;
    if (us > longest_us) longest_us = us;
    latencies[us < LATENCY_US_MAX ? us : LATENCY_US_MAX - 1]++;
}

static void receive(struct connection *c) {
    ssize_t n = recv(c->fd, c->in + c->in_bytes, BUFFER_BYTES - c->in_bytes, 0);
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) die("the broker hung up");
    c->in_bytes += n;
    int64_t at = now_ns();
    int pos = 0, count = 0;
    while (c->in_bytes - pos >= 4) {
        int size = 4 + int32_at(c->in + pos);
        if (c->in_bytes - pos < size) break;
        take_answer(c, c->in + pos, size, at);
        pos += size;
        count++;
    }
    memmove(c->in, c->in + pos, c->in_bytes - pos);
    c->in_bytes -= pos;
    if (count) send_frames(c, count);
}

static int64_t quantile(double share) {
    int64_t rank = (int64_t)(share * (answered - 1)), seen = 0;
    for (int us = 0; us < LATENCY_US_MAX; us++)
        if ((seen += latencies[us]) > rank) return us;
    return LATENCY_US_MAX;
}

static struct sockaddr_in local(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static void run(int port, int64_t warmup_ns, int64_t measure_ns) {
    int32_t head[3];
    read_exactly(0, head, sizeof head);
    int connections = ntohl(head[0]);
    frames_each = ntohl(head[1]);
    frame_bytes = ntohl(head[2]);
    struct sockaddr_in address = local(port);
    struct connection *all = calloc(connections, sizeof *all);
    int loop = epoll_create1(0), one = 1;
    for (int i = 0; i < connections; i++) {
        struct connection *c = &all[i];
        size_t bytes = (size_t)frames_each * frame_bytes;
        c->frames = malloc(2 * bytes);
        read_exactly(0, c->frames, bytes);
        memcpy(c->frames + bytes, c->frames, bytes);
        c->fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(c->fd, (struct sockaddr *)&address, sizeof address)) die("connect");
        setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        fcntl(c->fd, F_SETFL, O_NONBLOCK);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
        epoll_ctl(loop, EPOLL_CTL_ADD, c->fd, &event);
    }
    for (int i = 0; i < connections; i++) send_frames(&all[i], depth);
    int64_t begin = now_ns() + warmup_ns, end = begin + measure_ns, at;
    struct epoll_event events[256];
    while ((at = now_ns()) < end) {
        if (!measuring && at >= begin) {
            measuring = 1;
            begin = at;
            puts("measuring");
            fflush(stdout);
        }
        int n = epoll_wait(loop, events, 256, 100);
        for (int i = 0; i < n; i++) receive(events[i].data.ptr);
    }
    printf("{\"answered\": %ld, \"seconds\": %.6f, \"p50_us\": %ld, \"p99_us\": %ld, \"max_us\": %ld, \"first_answer\": \"",
           (long)answered, (at - begin) / 1e9, (long)quantile(0.5), (long)quantile(0.99), (long)longest_us);
    for (int i = 0; i < all[0].answer_bytes; i++) printf("%02x", all[0].answer[i]);
    puts("\"}");
}

static void echo(int port, int reply_bytes) {
    struct sockaddr_in address = local(port);
    int listener = socket(AF_INET, SOCK_STREAM, 0), loop = epoll_create1(0), one = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 256)) die("listen");
    puts("listening");
    fflush(stdout);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[256];
    epoll_ctl(loop, EPOLL_CTL_ADD, listener, &event);
    static unsigned char out[BUFFER_BYTES];
    for (;;) {
        int n = epoll_wait(loop, events, 256, -1);
        for (int i = 0; i < n; i++) {
            struct connection *c = events[i].data.ptr;
            if (!c) {
                c = calloc(1, sizeof *c);
                c->fd = accept(listener, NULL, NULL);
                setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                event.data.ptr = c;
                epoll_ctl(loop, EPOLL_CTL_ADD, c->fd, &event);
                continue;
            }
            ssize_t got = recv(c->fd, c->in + c->in_bytes, BUFFER_BYTES - c->in_bytes, 0);
            if (got <= 0) {
                close(c->fd);
                free(c);
                continue;
            }
            c->in_bytes += got;
            int pos = 0, bytes = 0;
            while (c->in_bytes - pos >= 4 && c->in_bytes - pos >= 4 + int32_at(c->in + pos)) {
                pos += 4 + int32_at(c->in + pos);
                uint32_t size = htonl(reply_bytes - 4);
                memcpy(out + bytes, &size, 4);
                bytes += reply_bytes;
            }
            memmove(c->in, c->in + pos, c->in_bytes - pos);
            c->in_bytes -= pos;
            if (bytes && send(c->fd, out, bytes, MSG_NOSIGNAL) < 0) die("send");
        }
    }
}

int main(int argc, char **argv) {
    if (argc == 6 && !strcmp(argv[1], "run")) {
        depth = atoi(argv[3]);
        if (depth < 1 || depth > DEPTH_MAX) return 2;
        run(atoi(argv[2]), atoll(argv[4]) * 1000000, atoll(argv[5]) * 1000000);
    } else if (argc == 4 && !strcmp(argv[1], "echo")) {
        echo(atoi(argv[2]), atoi(argv[3]));
    } else {
        fputs("usage: load run PORT DEPTH WARMUP_MS MEASURE_MS | load echo PORT REPLY_BYTES\n", stderr);
        return 2;
    }
    return 0;
}
