#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

// Swift Testing starts all tests at once, more than a thousand. On two cores a request of a test then waits longer for its turn
// than its timeout allows. Swift 6.3 reads this variable when the command line names no width; older versions ignore it.
__attribute__((constructor)) static void limitParallelTests(void) {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "12", 0);
}

// The tests create and remove thousands of small files, which takes a quarter of their processor time on a disk. So they lie in
// memory, where Linux has a folder for that, with a gibibyte left. TMPDIR=/tmp puts them on the disk, as .ci/run does.
__attribute__((constructor)) static void keepFilesInMemory(void) {
    static const char *const folder = "/dev/shm";
    struct statvfs system;
    if (statvfs(folder, &system) != 0 || access(folder, W_OK) != 0) return;
    if ((unsigned long long)system.f_bavail * system.f_frsize < 1ULL << 30) return;
    setenv("TMPDIR", folder, 0);
}
