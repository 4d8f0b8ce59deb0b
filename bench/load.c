/* A load generator with little overhead: prebuilt request frames, plain sockets and one epoll loop.
 *
 *   load run PORT DEPTH WARMUP_MS MEASURE_MS HEAD_BYTES < frames     prints "measuring", then one line of JSON
 *   load echo PORT RESPONSE_BYTES                         responds to every frame with this many bytes, to measure `load run` itself
 *
 * frames: int32 connections, int32 frames per connection, int32 frame bytes, then all frames. A connection repeats its frames
 * and keeps DEPTH requests pending. Every response must have the length of its connection's first response, and equal it in the
 * first HEAD_BYTES bytes, except for the correlation id. HEAD_BYTES_MAX means all bytes; a smaller number leaves out the offsets
 * of Produce and the records of Fetch, which vary. The JSON has the first response (hex, up to HEAD_BYTES_MAX bytes), so that the
 * caller can check it for an error.
 * Compiled with -DTLS, `load run` speaks TLS. It does not check the certificate of the broker.
 * All integers are in network order. Responses arrive in the order of requests, so a queue of send times gives latencies.
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
#ifdef TLS
#include <openssl/ssl.h>
#endif

#define DEPTH_MAX 256
#define BUFFER_BYTES (1 << 18)
#define HEAD_BYTES_MAX 4096
#define RESPONSE_BYTES_MAX (1 << 22)
#define LATENCY_US_MAX 2000000

struct stream {                      /* frames that arrive in pieces */
    unsigned char head[HEAD_BYTES_MAX]; /* the start of the current frame, with its size */
    int64_t size, got;               /* of the current frame; size is known after 4 bytes */
};

struct connection {
    int fd;
    unsigned char *frames;           /* its frames, one after the other */
    size_t next, unsent;             /* the next byte to send, and how many are left to send */
    int waits;                       /* until the socket accepts more */
    int64_t sent_at[DEPTH_MAX];      /* when the pending requests were sent, a ring */
    int oldest, pending;
    unsigned char *response;           /* the first response on this connection */
    int64_t response_bytes;
    struct stream in;
#ifdef TLS
    SSL *ssl;
#endif
};

static uint32_t latencies[LATENCY_US_MAX];
static int frames_each, frame_bytes, depth, head_bytes, loop;
static unsigned char buffer[BUFFER_BYTES];
static int64_t completed, longest_us;
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

/* Like send and recv. With TLS, recv returns one record. */
#ifdef TLS
static ssize_t tried(struct connection *c, int n) {
    if (n > 0) return n;
    int error = SSL_get_error(c->ssl, n);
    errno = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? EAGAIN : ECONNRESET;
    return -1;
}

static ssize_t put(struct connection *c, const void *from, size_t size) { return tried(c, SSL_write(c->ssl, from, size)); }
static ssize_t get(struct connection *c, void *into, size_t size) { return tried(c, SSL_read(c->ssl, into, size)); }

static void greet(struct connection *c) {
    static SSL_CTX *context;
    if (!context) {
        context = SSL_CTX_new(TLS_client_method());
        SSL_CTX_set_read_ahead(context, 1);
        SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    }
    c->ssl = SSL_new(context);
    SSL_set_fd(c->ssl, c->fd);
    if (SSL_connect(c->ssl) != 1) die("TLS handshake");
}
#else
static ssize_t put(struct connection *c, const void *from, size_t size) { return send(c->fd, from, size, MSG_NOSIGNAL); }
static ssize_t get(struct connection *c, void *into, size_t size) { return recv(c->fd, into, size, 0); }
static void greet(struct connection *c) { (void)c; }
#endif

/* Reads the part that belongs to the current frame. Returns 1 once it is complete. */
static int take(struct stream *in, const unsigned char **from, int64_t *left) {
    for (;;) {
        int64_t wanted = (in->got < 4 ? 4 : in->size) - in->got, part = *left < wanted ? *left : wanted;
        if (in->got < HEAD_BYTES_MAX) {
            int64_t room = HEAD_BYTES_MAX - in->got;
            memcpy(in->head + in->got, *from, part < room ? part : room);
        }
        in->got += part;
        *from += part;
        *left -= part;
        if (in->got < 4) return 0;
        if (in->got == 4) in->size = 4 + (int64_t)int32_at(in->head);
        if (in->got == in->size) return 1;
        if (!*left) return 0;
    }
}

static void flush(struct connection *c) {
    size_t ring = (size_t)frames_each * frame_bytes;
    int waits = 0;
    while (c->unsent) {
        size_t run = ring - c->next < c->unsent ? ring - c->next : c->unsent;
        ssize_t n = put(c, c->frames + c->next, run);
        if (n < 0 && errno == EAGAIN) {
            waits = 1;
            break;
        }
        if (n <= 0) die("send");
        c->next = (c->next + n) % ring;
        c->unsent -= n;
    }
    if (waits == c->waits) return;
    c->waits = waits;
    struct epoll_event event = {.events = EPOLLIN | (waits ? EPOLLOUT : 0), .data.ptr = c};
    epoll_ctl(loop, EPOLL_CTL_MOD, c->fd, &event);
}

static void send_frames(struct connection *c, int count) {
    int64_t at = now_ns();
    for (int i = 0; i < count; i++) c->sent_at[(c->oldest + c->pending++) % DEPTH_MAX] = at;
    c->unsent += (size_t)count * frame_bytes;
    flush(c);
}

static void take_response(struct connection *c, int64_t at) {
    int64_t bytes = c->in.size, kept = bytes < HEAD_BYTES_MAX ? bytes : HEAD_BYTES_MAX;
    int64_t compared = kept < head_bytes ? kept : head_bytes;
    if (!c->response) {
        c->response = memcpy(malloc(kept), c->in.head, kept);
        c->response_bytes = bytes;
    } else if (bytes != c->response_bytes || (compared > 8 && memcmp(c->in.head + 8, c->response + 8, compared - 8))) {
        fprintf(stderr, "a response of %ld bytes differs from the first one of %ld: ", (long)bytes, (long)c->response_bytes);
        for (int i = 0; i < kept && i < 128; i++) fprintf(stderr, "%02x", c->in.head[i]);
        fputs("\n", stderr);
        exit(1);
    }
    int64_t us = (at - c->sent_at[c->oldest]) / 1000;
    c->oldest = (c->oldest + 1) % DEPTH_MAX;
    c->pending--;
    if (!measuring) return;
    completed++;
    if (us > longest_us) longest_us = us;
    latencies[us < LATENCY_US_MAX ? us : LATENCY_US_MAX - 1]++;
}

/* Returns 0 if there is nothing to receive. */
static int receive(struct connection *c) {
    ssize_t n = get(c, buffer, sizeof buffer);
    if (n < 0 && errno == EAGAIN) return 0;
    if (n <= 0) die("the broker hung up");
    int64_t at = now_ns(), left = n;
    const unsigned char *from = buffer;
    int count = 0;
    while (left && take(&c->in, &from, &left)) {
        take_response(c, at);
        c->in.got = 0;
        count++;
    }
    if (count) send_frames(c, count);
#ifdef TLS
    return SSL_has_pending(c->ssl); /* what it has read ahead, epoll does not report */
#else
    return 0;
#endif
}

static int64_t quantile(double share) {
    int64_t rank = (int64_t)(share * (completed - 1)), seen = 0;
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
    int one = 1;
    loop = epoll_create1(0);
    for (int i = 0; i < connections; i++) {
        struct connection *c = &all[i];
        size_t bytes = (size_t)frames_each * frame_bytes;
        c->frames = malloc(bytes);
        read_exactly(0, c->frames, bytes);
        c->fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(c->fd, (struct sockaddr *)&address, sizeof address)) die("connect");
        setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        greet(c);
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
        for (int i = 0; i < n; i++) {
            if (events[i].events & EPOLLOUT) flush(events[i].data.ptr);
            if (events[i].events & ~EPOLLOUT)
                while (receive(events[i].data.ptr)) {}
        }
    }
    printf("{\"completed\": %ld, \"seconds\": %.6f, \"p50_us\": %ld, \"p99_us\": %ld, \"max_us\": %ld, \"response_bytes\": %ld, "
           "\"first_response\": \"",
           (long)completed, (at - begin) / 1e9, (long)quantile(0.5), (long)quantile(0.99), (long)longest_us,
           (long)all[0].response_bytes);
    for (int i = 0; i < all[0].response_bytes && i < HEAD_BYTES_MAX; i++) printf("%02x", all[0].response[i]);
    puts("\"}");
}

static void echo(int port, int response_bytes) {
    struct sockaddr_in address = local(port);
    int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    loop = epoll_create1(0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 256)) die("listen");
    puts("listening");
    fflush(stdout);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[256];
    epoll_ctl(loop, EPOLL_CTL_ADD, listener, &event);
    static unsigned char out[RESPONSE_BYTES_MAX];
    size_t room = RESPONSE_BYTES_MAX / response_bytes;
    for (size_t i = 0; i < room; i++) {
        uint32_t size = htonl(response_bytes - 4);
        memcpy(out + i * response_bytes, &size, 4);
    }
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
            ssize_t got = recv(c->fd, buffer, sizeof buffer, 0);
            if (got <= 0) {
                close(c->fd);
                free(c);
                continue;
            }
            int64_t left = got;
            const unsigned char *from = buffer;
            size_t due = 0;
            while (left && take(&c->in, &from, &left)) {
                c->in.got = 0;
                due++;
            }
            while (due) {
                size_t now = due < room ? due : room;
                if (send(c->fd, out, now * response_bytes, MSG_NOSIGNAL) < 0) break; /* the peer has closed; recv returns the same */
                due -= now;
            }
        }
    }
}

int main(int argc, char **argv) {
    if (argc == 7 && !strcmp(argv[1], "run")) {
        depth = atoi(argv[3]);
        head_bytes = atoi(argv[6]);
        if (depth < 1 || depth > DEPTH_MAX) return 2;
        run(atoi(argv[2]), atoll(argv[4]) * 1000000, atoll(argv[5]) * 1000000);
    } else if (argc == 4 && !strcmp(argv[1], "echo")) {
        if (atoi(argv[3]) < 8 || atoi(argv[3]) > RESPONSE_BYTES_MAX) return 2;
        echo(atoi(argv[2]), atoi(argv[3]));
    } else {
        fputs("usage: load run PORT DEPTH WARMUP_MS MEASURE_MS HEAD_BYTES | load echo PORT RESPONSE_BYTES\n", stderr);
        return 2;
    }
    return 0;
}
