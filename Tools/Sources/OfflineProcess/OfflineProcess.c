#ifdef __linux__
#define _GNU_SOURCE
#include "OfflineProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef CLONE_NEWNET
#define CLONE_NEWNET 0x40000000
#define CLONE_NEWUSER 0x10000000
#endif
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif
#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE 1
#endif

static void write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    ssize_t ignored = write(file, text, strlen(text));
    (void)ignored;
    close(file);
}

/// Gives this process, as its own user, a network with only a loopback interface.
static int enter_namespace(void) {
    char text[64];
    uid_t user = geteuid();
    gid_t group = getegid();
    // Without privileges, a user namespace must be created first.
    if (syscall(SYS_unshare, CLONE_NEWNET) != 0) {
        if (syscall(SYS_unshare, CLONE_NEWUSER | CLONE_NEWNET) != 0) return 0;
        write_file("/proc/self/setgroups", "deny");
        snprintf(text, sizeof text, "%d %d 1", user, user);
        write_file("/proc/self/uid_map", text);
        snprintf(text, sizeof text, "%d %d 1", group, group);
        write_file("/proc/self/gid_map", text);
    }
    int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request;
    memset(&request, 0, sizeof request);
    strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    ioctl(probe, SIOCSIFFLAGS, &request);
    close(probe);
    return 1;
}

/// Makes the kernel report the calls of this process that can reach another machine.
static int install_filter(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_connect, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sendto, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sendmsg, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sendmmsg, 2, 0),
        // Calls through a ring of the kernel (io_uring) pass no filter. If no ring is available, programs make the calls directly.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 2, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

pid_t offline_start(char *const arguments[], int output, int *listener, int *has_namespace) {
    // The messages of the child: the number of the descriptor, a flag for a namespace, the error of starting the program.
    int said[2];
    if (pipe2(said, O_CLOEXEC) != 0) return -1;
    int messages[3] = {-1, 0, 0};
    // At first, the child shares the descriptors of this process, so the listener is also available here.
    pid_t process = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
    if (process < 0) return -1;
    if (process == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, 0);
        signal(SIGPIPE, SIG_DFL);
        setpgid(0, 0);
        messages[1] = enter_namespace();
        messages[0] = install_filter();
        syscall(SYS_unshare, CLONE_FILES);
        dup2(output, STDOUT_FILENO);
        ssize_t written = write(said[1], messages, sizeof messages);
        execvp(arguments[0], arguments);
        messages[2] = errno;
        written = write(said[1], messages, sizeof messages);
        (void)written;
        _exit(127);
    }
    ssize_t count = read(said[0], messages, sizeof messages);
    close(said[1]);
    *listener = messages[0];
    *has_namespace = messages[1];
    // A second message, instead of the end of the pipe, means that the program was not started.
    if (count == sizeof messages && read(said[0], messages, sizeof messages) == sizeof messages) {
        errno = messages[2];
        process = -1;
    }
    close(said[0]);
    return process;
}

static size_t copy(pid_t thread, uint64_t from, void *to, size_t count) {
    struct iovec local = {to, count}, remote = {(void *)(uintptr_t)from, count};
    ssize_t copied = process_vm_readv(thread, &local, 1, &remote, 1, 0);
    return copied < 0 ? 0 : (size_t)copied;
}

static size_t smaller(size_t one, size_t other) { return one < other ? one : other; }

int offline_receive(int listener, struct offline_call *call) {
    struct pollfd descriptor = {listener, POLLIN, 0};
    if (poll(&descriptor, 1, -1) < 0) return errno == EINTR ? 0 : -1;
    if (!(descriptor.revents & POLLIN)) return -1;
    struct seccomp_notif notification;
    memset(&notification, 0, sizeof notification);
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notification) != 0) return 0;
    memset(call, 0, sizeof *call);
    uint64_t *arguments = (uint64_t *)notification.data.args;
    call->identifier = notification.id;
    call->thread = (pid_t)notification.pid;
    call->descriptor = (int)arguments[0];
    call->is_connect = notification.data.nr == SYS_connect;
    uint64_t address = 0, length = 0, data = 0, data_length = 0;
    if (notification.data.nr == SYS_connect) {
        address = arguments[1];
        length = (uint32_t)arguments[2];
    } else if (notification.data.nr == SYS_sendto) {
        data = arguments[1];
        data_length = arguments[2];
        address = arguments[4];
        length = (uint32_t)arguments[5];
    } else {
        // For several messages, this is the first one: `struct mmsghdr` begins with it.
        struct msghdr message;
        struct iovec part;
        if (copy(call->thread, arguments[1], &message, sizeof message) == sizeof message) {
            address = (uint64_t)(uintptr_t)message.msg_name;
            length = message.msg_namelen;
            if (message.msg_iovlen > 0
                && copy(call->thread, (uint64_t)(uintptr_t)message.msg_iov, &part, sizeof part) == sizeof part) {
                data = (uint64_t)(uintptr_t)part.iov_base;
                data_length = part.iov_len;
            }
        }
    }
    if (address) call->address_length = (uint32_t)copy(call->thread, address, call->address, smaller(length, sizeof call->address));
    if (data) call->data_length = (uint32_t)copy(call->thread, data, call->data, smaller(data_length, sizeof call->data));
    return 1;
}

static void answer(int listener, uint64_t identifier, int64_t result, int error, uint32_t flags) {
    struct seccomp_notif_resp response = {.id = identifier, .val = result, .error = -error, .flags = flags};
    // It fails only if the caller has ended.
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

void offline_continue(int listener, uint64_t identifier) {
    answer(listener, identifier, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

void offline_return(int listener, uint64_t identifier, int64_t result) { answer(listener, identifier, result, 0, 0); }

void offline_fail(int listener, uint64_t identifier, int error) { answer(listener, identifier, 0, error, 0); }

#endif
