/* Lies to a service about its machine: what the clock says, and how long the disk takes.

   Loaded before libc (LD_PRELOAD). A test writes the file named by FAULTS_CONTROL, two
   signed 64-bit numbers: nanoseconds added to the wall clock, microseconds that each fsync
   and fdatasync takes longer. Every process sees a change at once. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct control {
    volatile int64_t clock_offset_ns;
    volatile int64_t sync_delay_us;
};

static const struct control none;

static const struct control *control(void)
{
    static const struct control *mapped;
    if (mapped)
        return mapped;
    const char *path = getenv("FAULTS_CONTROL");
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *found = MAP_FAILED;
    if (fd >= 0) {
        found = mmap(NULL, sizeof(struct control), PROT_READ, MAP_SHARED, fd, 0);
        close(fd);
    }
    return mapped = found == MAP_FAILED ? &none : found;
}

static void shift(struct timespec *time)
{
    int64_t ns = time->tv_nsec + control()->clock_offset_ns;
    int64_t seconds = ns / 1000000000, rest = ns % 1000000000;
    if (rest < 0) {
        rest += 1000000000;
        seconds -= 1;
    }
    time->tv_sec += seconds;
    time->tv_nsec = rest;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(clock, time);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        shift(time);
    return failed;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    (void)zone;
    struct timespec now;
    int failed = clock_gettime(CLOCK_REALTIME, &now);
    if (!failed) {
        time->tv_sec = now.tv_sec;
        time->tv_usec = now.tv_nsec / 1000;
    }
    return failed;
}

time_t time(time_t *result)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result)
        *result = now.tv_sec;
    return now.tv_sec;
}

static void delay(void)
{
    int64_t us = control()->sync_delay_us;
    if (us > 0)
        usleep((useconds_t)us);
}

int fsync(int fd)
{
    static int (*real)(int);
    if (!real)
        real = dlsym(RTLD_NEXT, "fsync");
    delay();
    return real(fd);
}

int fdatasync(int fd)
{
    static int (*real)(int);
    if (!real)
        real = dlsym(RTLD_NEXT, "fdatasync");
    delay();
    return real(fd);
}
