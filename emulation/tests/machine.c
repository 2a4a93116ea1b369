/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One emulated machine under test */

#define _GNU_SOURCE
#include "machine.h"
#include "mailbox.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 60000

/* Made from the guest's ELF file by the Makefile */
extern const struct symbol {
    const char *name;
    uint64_t address;
} guest_symbols[];

static const char *qemu;
static char guest[4096];
static pid_t qemu_pid;

/* A line-oriented connection to QEMU; the longest line is a bus_read() in hex */
struct line_conn {
    int fd;
    char buf[64 * 1024];
    size_t have;
};

static struct line_conn qtest, qmp;

/*
 * The QEMU process
 */

static const char *const common_options =
    "-nodefaults -nic none -display none -m 64";

void machine_setup(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "Usage: %s QEMU FOLDER-OF-GUEST\n", argv[0]);
        exit(2);
    }
    qemu = argv[1];
    snprintf(guest, sizeof(guest), "%s/guest.elf", argv[2]);
}

/* Splits at blanks; what is returned points into a copy that lives as long as the test */
static int split(char **argv, int argc, const char *options)
{
    char *copy = strdup(options);

    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        argv[argc++] = word;
    }
    return argc;
}

static pid_t spawn(char *const argv[], int stderr_fd)
{
    pid_t parent = getpid();
    pid_t pid = fork();

    if (pid < 0) {
        tap_bail("fork: %s", strerror(errno));
    }
    if (pid == 0) {
        /* Must not outlive the test, however that ends */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) {
            _exit(127);
        }
        if (stderr_fd >= 0) {
            dup2(stderr_fd, STDERR_FILENO);
        }
        execv(argv[0], argv);
        fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    return pid;
}

/* QEMU takes one end of a socket pair as a chardev, so that no name in a file system is needed */
static void connect_pair(struct line_conn *conn, int *theirs)
{
    int fds[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) < 0) {
        tap_bail("socketpair: %s", strerror(errno));
    }
    fcntl(fds[0], F_SETFD, FD_CLOEXEC);
    conn->fd = fds[0];
    conn->have = 0;
    *theirs = fds[1];
}

static void send_text(struct line_conn *conn, const char *text)
{
    size_t len = strlen(text), done = 0;

    while (done < len) {
        ssize_t n = send(conn->fd, text + done, len - done, MSG_NOSIGNAL);

        if (n < 0 && errno != EINTR) {
            tap_bail("QEMU does not listen: %s", strerror(errno));
        }
        done += n > 0 ? n : 0;
    }
}

/* The next line, without its end. It is valid until the next call. */
static const char *receive_line(struct line_conn *conn)
{
    static char line[sizeof(conn->buf) + 1];

    for (;;) {
        char *end = memchr(conn->buf, '\n', conn->have);
        struct pollfd pfd = { .fd = conn->fd, .events = POLLIN };
        ssize_t n;

        if (end) {
            size_t len = end - conn->buf;

            memcpy(line, conn->buf, len);
            line[len] = '\0';
            conn->have -= len + 1;
            memmove(conn->buf, end + 1, conn->have);
            return line;
        }
        if (conn->have == sizeof(conn->buf)) {
            tap_bail("QEMU sent a line of more than %zu bytes", sizeof(conn->buf));
        }
        if (poll(&pfd, 1, PATIENCE_MS) == 0) {
            tap_bail("QEMU did not answer in %d s", PATIENCE_MS / 1000);
        }
        n = read(conn->fd, conn->buf + conn->have, sizeof(conn->buf) - conn->have);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            tap_bail("QEMU ended");
        }
        conn->have += n > 0 ? n : 0;
    }
}

static const char *qmp_command(const char *text);

void machine_patience(uint64_t *since, const char *what)
{
    struct timespec t;
    uint64_t now;

    clock_gettime(CLOCK_MONOTONIC, &t);
    now = t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
    if (!*since) {
        *since = now;
    }
    if (now - *since > PATIENCE_MS) {
        tap_bail("not in %d s: %s", PATIENCE_MS / 1000, what);
    }
}

void machine_start(const char *options)
{
    char *argv[64], chardevs[256];
    int argc = 0, qtest_fd, qmp_fd;

    machine_stop();
    connect_pair(&qtest, &qtest_fd);
    connect_pair(&qmp, &qmp_fd);
    snprintf(chardevs, sizeof(chardevs), "-chardev socket,id=qtest,fd=%d -qtest chardev:qtest "
             "-qtest-log /dev/null -chardev socket,id=qmp,fd=%d -mon chardev=qmp,mode=control",
             qtest_fd, qmp_fd);

    argv[argc++] = (char *)qemu;
    argc = split(argv, argc, common_options);
    argc = split(argv, argc, "-accel tcg,thread=multi");
    argc = split(argv, argc, chardevs);
    argv[argc++] = "-kernel";
    argv[argc++] = guest;
    argc = split(argv, argc, options);
    argv[argc] = NULL;

    qemu_pid = spawn(argv, -1);
    close(qtest_fd);
    close(qmp_fd);
    if (!strstr(receive_line(&qmp), "\"QMP\"")) {
        tap_bail("no QMP greeting");
    }
    qmp_command("{\"execute\":\"qmp_capabilities\"}");
}

void machine_stop(void)
{
    if (qemu_pid) {
        kill(qemu_pid, SIGKILL);
        waitpid(qemu_pid, NULL, 0);
        close(qtest.fd);
        close(qmp.fd);
        qemu_pid = 0;
    }
}

bool machine_fails(const char *options, const char *message)
{
    char *argv[64], text[4096];
    int argc = 0, fds[2], status;
    size_t have = 0;
    ssize_t n;
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC) < 0) {
        tap_bail("pipe: %s", strerror(errno));
    }
    argv[argc++] = (char *)qemu;
    argc = split(argv, argc, common_options);
    argc = split(argv, argc, options);
    argv[argc] = NULL;
    pid = spawn(argv, fds[1]);
    close(fds[1]);
    while (have < sizeof(text) - 1 &&
           (n = read(fds[0], text + have, sizeof(text) - 1 - have)) > 0) {
        have += n;
    }
    text[have] = '\0';
    close(fds[0]);
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 1 || !strstr(text, message)) {
        tap_note("QEMU said: %s", text);
        return false;
    }
    return true;
}

void *machine_dump_dtb(const char *options)
{
    char *argv[64], name[] = "/tmp/emulation-dtb-XXXXXX", words[1024];
    int argc = 0, status, fd = mkstemp(name);
    size_t size = 1 << 20, have = 0;
    char *dtb = malloc(size);
    ssize_t n;

    snprintf(words, sizeof(words), "%s -machine dumpdtb=%s", options, name);
    argv[argc++] = (char *)qemu;
    argc = split(argv, argc, common_options);
    argc = split(argv, argc, words);
    argv[argc] = NULL;
    waitpid(spawn(argv, -1), &status, 0);
    /* QEMU replaced the file by one of its own */
    close(fd);
    fd = open(name, O_RDONLY | O_CLOEXEC);
    unlink(name);
    while (have < size && (n = read(fd, dtb + have, size - have)) > 0) {
        have += n;
    }
    close(fd);
    if (!WIFEXITED(status) || WEXITSTATUS(status) || !have) {
        tap_bail("QEMU dumped no device tree for %s", options);
    }
    return dtb;
}

/*
 * QMP
 */

static const char *qmp_command(const char *text)
{
    const char *line;

    send_text(&qmp, text);
    send_text(&qmp, "\n");
    do {
        line = receive_line(&qmp);
    } while (!strstr(line, "\"return\"") && !strstr(line, "\"error\""));
    return line;
}

const char *machine_qmp(const char *format, ...)
{
    char *command;
    const char *answer;
    va_list ap;

    va_start(ap, format);
    if (vasprintf(&command, format, ap) < 0) {
        tap_bail("out of memory");
    }
    va_end(ap);
    answer = qmp_command(command);
    if (!strstr(answer, "\"return\"")) {
        tap_note("QMP %s: %s", command, answer);
        answer = NULL;
    }
    free(command);
    return answer;
}

void machine_reset(void)
{
    bool answered = false, happened = false;

    send_text(&qmp, "{\"execute\":\"system_reset\"}\n");
    while (!answered || !happened) {
        const char *line = receive_line(&qmp);

        answered |= !!strstr(line, "\"return\"");
        happened |= !!strstr(line, "\"RESET\"");
    }
}

static bool qmp_says(const char *command, const char *what)
{
    const char *answer = machine_qmp("%s", command);

    return answer && strstr(answer, what);
}

void machine_migrate(const char *options)
{
    char name[] = "/tmp/emulation-state-XXXXXX", incoming[512];

    close(mkstemp(name));
    machine_qmp("{\"execute\":\"migrate\",\"arguments\":{\"uri\":\"file:%s\"}}", name);
    AWAIT(qmp_says("{\"execute\":\"query-migrate\"}", "\"completed\""));
    snprintf(incoming, sizeof(incoming), "%s -incoming file:%s", options, name);
    machine_start(incoming);
    AWAIT(qmp_says("{\"execute\":\"query-status\"}", "\"running\": true"));
    unlink(name);
}

/*
 * qtest
 */

static uint64_t qtest_command(const char *format, ...)
{
    char text[128];
    const char *answer;
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    send_text(&qtest, text);
    answer = receive_line(&qtest);
    if (strncmp(answer, "OK", 2)) {
        tap_bail("qtest: %.60s: %s", text, answer);
    }
    return strtoull(answer + 2, NULL, 0);
}

uint32_t bus_read32(uint64_t address)
{
    return qtest_command("readl 0x%" PRIx64 "\n", address);
}

uint64_t bus_read64(uint64_t address)
{
    return qtest_command("readq 0x%" PRIx64 "\n", address);
}

void bus_write32(uint64_t address, uint32_t value)
{
    qtest_command("writel 0x%" PRIx64 " 0x%" PRIx32 "\n", address, value);
}

void bus_write64(uint64_t address, uint64_t value)
{
    qtest_command("writeq 0x%" PRIx64 " 0x%" PRIx64 "\n", address, value);
}

void bus_read(uint64_t address, void *to, unsigned len)
{
    uint8_t *bytes = to;
    const char *hex;
    char text[64];

    snprintf(text, sizeof(text), "read 0x%" PRIx64 " 0x%x\n", address, len);
    send_text(&qtest, text);
    hex = receive_line(&qtest);
    if (strncmp(hex, "OK 0x", 5) || strlen(hex) != 5 + 2 * (size_t)len) {
        tap_bail("qtest: bad answer to %s", text);
    }
    for (unsigned i = 0; i < len; i++) {
        sscanf(hex + 5 + 2 * i, "%2hhx", bytes + i);
    }
}

/*
 * The guest
 */

uint64_t guest_symbol(const char *name)
{
    for (const struct symbol *s = guest_symbols; s->name; s++) {
        if (!strcmp(s->name, name)) {
            return s->address;
        }
    }
    tap_bail("the guest has no %s", name);
}

static uint64_t mailbox(unsigned cpu, unsigned offset)
{
    return MAILBOX(cpu) + offset;
}

static void post(unsigned cpu, uint64_t fn, const uint64_t x[5])
{
    for (unsigned i = 0; i < 5; i++) {
        bus_write64(mailbox(cpu, MAILBOX_ARGS + 8 * i), x[i]);
    }
    bus_write64(mailbox(cpu, MAILBOX_ENTERED), 0);
    bus_write64(mailbox(cpu, MAILBOX_STOP), 0);
    bus_write64(mailbox(cpu, MAILBOX_FN), fn);
    bus_write64(mailbox(cpu, MAILBOX_BELL), bus_read64(mailbox(cpu, MAILBOX_BELL)) + 1);
}

static bool is_done(unsigned cpu)
{
    return bus_read64(mailbox(cpu, MAILBOX_DONE)) == bus_read64(mailbox(cpu, MAILBOX_BELL));
}

void guest_start_args(unsigned cpu, const char *function, const uint64_t x[5])
{
    post(cpu, guest_symbol(function), x);
}

uint64_t guest_call_args(unsigned cpu, const char *function, const uint64_t x[5])
{
    post(cpu, guest_symbol(function), x);
    AWAIT(is_done(cpu));
    return bus_read64(mailbox(cpu, MAILBOX_RESULT));
}

uint64_t guest_esr(unsigned cpu)
{
    return bus_read64(mailbox(cpu, MAILBOX_ESR));
}

void guest_loop_args(unsigned cpu, const char *function, const uint64_t x[4])
{
    post(cpu, guest_symbol(function),
         (const uint64_t[5]) { mailbox(cpu, MAILBOX_STOP), x[0], x[1], x[2], x[3] });
    AWAIT(bus_read64(mailbox(cpu, MAILBOX_ENTERED)) != 0);
}

void guest_loop_at(unsigned cpu, uint64_t spsr, const char *spin)
{
    post(cpu, guest_symbol("eret_to"),
         (const uint64_t[5]) { spsr, guest_symbol(spin), mailbox(cpu, MAILBOX_STOP) });
    AWAIT(bus_read64(mailbox(cpu, MAILBOX_ENTERED)) != 0);
}

uint64_t guest_rounds(unsigned cpu)
{
    return bus_read64(mailbox(cpu, MAILBOX_ENTERED));
}

void guest_serves_again(unsigned cpu)
{
    AWAIT(is_done(cpu));
}

void guest_stop(unsigned cpu)
{
    bus_write64(mailbox(cpu, MAILBOX_STOP), 1);
    guest_serves_again(cpu);
}

void guest_forget(unsigned cpu)
{
    bus_write64(mailbox(cpu, MAILBOX_BELL), bus_read64(mailbox(cpu, MAILBOX_DONE)));
    bus_write64(mailbox(cpu, MAILBOX_COUNT), 0);
}

void guest_serves(unsigned cpu)
{
    AWAIT(bus_read64(mailbox(cpu, MAILBOX_COUNT)) != 0);
}
