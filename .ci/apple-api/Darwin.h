int kill(int process, int signal);
int getpid(void);
int usleep(unsigned int microseconds);
#define LOCK_UN 0x08
#define ESRCH 3
#define EBADF 9
#define EINVAL 22
#define EWOULDBLOCK 35
#define ENOLCK 77
#define O_RDWR 2
#define O_APPEND 8
