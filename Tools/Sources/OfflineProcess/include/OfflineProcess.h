#pragma once
#include <stdint.h>
#include <sys/types.h>

/// A call by which a process tries to send something, as the kernel reports it.
struct offline_call {
    uint64_t identifier;
    /// The thread that calls.
    pid_t thread;
    int descriptor;
    /// A Boolean value that indicates whether the call is `connect`.
    int is_connect;
    /// The address in the form of `sockaddr`, and its length; none for data on a connected socket.
    uint8_t address[128];
    uint32_t address_length;
    /// The first bytes of the data, and their number.
    uint8_t data[512];
    uint32_t data_length;
};

/// Starts a program whose only network is its own loopback interface, if the system allows that.
///
/// Each call of the program, and of all processes that it starts, that can reach another machine waits for an answer.
///
/// \param arguments The program, found in the path, and its arguments, ended by NULL.
/// \param output The descriptor of the program's standard output.
/// \param listener Set to the descriptor that the calls are read from; -1 if the kernel does not report them.
/// \param has_namespace Set to 1 if the program has its own network namespace.
/// \returns The process, or -1 with `errno`.
pid_t offline_start(char *const arguments[], int output, int *listener, int *has_namespace);

/// Waits for the next call.
///
/// \returns 1 for a call, 0 for one that was interrupted, -1 when all processes have ended.
int offline_receive(int listener, struct offline_call *call);

/// Lets a call continue, makes it return a result, or makes it fail with an error number.
void offline_continue(int listener, uint64_t identifier);
void offline_return(int listener, uint64_t identifier, int64_t result);
void offline_fail(int listener, uint64_t identifier, int error);
