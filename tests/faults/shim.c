/* A disk that fails when it is told to, for one process tree: LD_PRELOAD this, with FAULTS naming a file that holds a
 * struct faults. A test writes the file while the process runs; every call looks at it afresh.
 *
 * Calls on paths that contain `where` fail with `error` from the moment `armed` is set, once `let_pass` of them have
 * gone well. tear: a write takes half of its bytes first, as on a disk that fills up.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { WRITES = 1, SYNCS = 2, NAMES = 4 };

struct faults {
    volatile int armed; /* a sum of the kinds above */
    volatile int error;
    volatile int let_pass;
    volatile int tear;
    volatile int times;  /* so many calls fail; 0: all from then on */
    volatile int failed; /* how many have */
    char where[232];
};

static struct faults *faults;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULTS");
    int (*real_open)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    int fd = path ? real_open(path, O_RDWR) : -1;
    if (fd < 0) return;
    faults = mmap(NULL, sizeof *faults, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (faults == MAP_FAILED) faults = NULL;
    close(fd);
}

static int fails_at(int kind, const char *path) {
    if (!faults || !(faults->armed & kind) || !strstr(path, (const char *)faults->where)) return 0;
    if (__sync_sub_and_fetch(&faults->let_pass, 1) >= 0) return 0;
    int failed = __sync_add_and_fetch(&faults->failed, 1);
    return !faults->times || failed <= faults->times;
}

static int fails_on(int kind, int fd) {
    char link[64], path[4096];
    if (!faults || !(faults->armed & kind)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return fails_at(kind, path);
}

#define REAL(name) __typeof__(name) *real = dlsym(RTLD_NEXT, #name)
#define FAIL return errno = faults->error, -1

ssize_t write(int fd, const void *data, size_t size) {
    REAL(write);
    if (!fails_on(WRITES, fd)) return real(fd, data, size);
    if (faults->tear && size > 1) {
        faults->tear = 0;
        return real(fd, data, size / 2);
    }
    FAIL;
}

int fsync(int fd) {
    REAL(fsync);
    if (fails_on(SYNCS, fd)) FAIL;
    return real(fd);
}

int fdatasync(int fd) {
    REAL(fdatasync);
    if (fails_on(SYNCS, fd)) FAIL;
    return real(fd);
}

int ftruncate64(int fd, off64_t size) {
    REAL(ftruncate64);
    if (fails_on(NAMES, fd)) FAIL;
    return real(fd, size);
}

static int makes(int flags) { return flags & (O_CREAT | O_TRUNC); }

int open(const char *path, int flags, ...) {
    REAL(open);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    if (makes(flags) && fails_at(NAMES, path)) FAIL;
    return real(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    REAL(open64);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    if (makes(flags) && fails_at(NAMES, path)) FAIL;
    return real(path, flags, mode);
}

int rename(const char *old, const char *new) {
    REAL(rename);
    if (fails_at(NAMES, new)) FAIL;
    return real(old, new);
}

int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    if (fails_at(NAMES, path)) FAIL;
    return real(path, mode);
}

int unlink(const char *path) {
    REAL(unlink);
    if (fails_at(NAMES, path)) FAIL;
    return real(path);
}
