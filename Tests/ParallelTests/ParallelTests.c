#include <stdlib.h>

// Swift Testing starts all tests at once, more than a thousand. On two cores a request of a test then waits longer for its turn
// than its timeout allows. Swift 6.3 reads this variable when the command line names no width; older versions ignore it.
__attribute__((constructor)) static void limitParallelTests(void) {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "12", 0);
}
