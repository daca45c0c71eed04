// What the sources use of Darwin's C library, with Darwin's types and numbers. Names of Linux with another type have a prefix
// here, because headers of Linux are compiled with these.
#define NAMED(name) __attribute__((swift_name(name)))
#define ANY _Null_unspecified
#pragma clang assume_nonnull begin

typedef unsigned short mode_t, nlink_t;
typedef unsigned int uid_t, gid_t, socklen_t;
typedef int dev_t, pid_t, blksize_t;
typedef unsigned long size_t;
typedef long ssize_t, time_t;
typedef long long off_t, blkcnt_t;
typedef unsigned long long ino_t;
typedef unsigned char sa_family_t;
typedef unsigned int in_addr_t;
typedef unsigned short in_port_t;

// Dates.
struct NAMED("tm") darwin_tm {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
  long tm_gmtoff;
  char * ANY tm_zone;
};
struct darwin_tm * ANY darwin_gmtime_r(const time_t * ANY, struct darwin_tm * ANY) NAMED("gmtime_r(_:_:)");
time_t darwin_timegm(struct darwin_tm * ANY) NAMED("timegm(_:)");

int * __error(void);
char * ANY strerror(int);

// Files.
struct NAMED("timespec") darwin_timespec {
  time_t tv_sec;
  long tv_nsec;
};
struct NAMED("stat") darwin_stat {
  dev_t st_dev;
  mode_t st_mode;
  nlink_t st_nlink;
  ino_t st_ino;
  uid_t st_uid;
  gid_t st_gid;
  dev_t st_rdev;
  struct darwin_timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
  off_t st_size;
  blkcnt_t st_blocks;
  blksize_t st_blksize;
};
struct NAMED("dirent") darwin_dirent {
  ino_t d_ino;
  unsigned long long d_seekoff;
  unsigned short d_reclen, d_namlen;
  unsigned char d_type;
  char d_name[1024];
};
typedef struct NAMED("DIR") darwin_dir { int fd; } darwin_dir;
int darwin_fstat(int, struct darwin_stat * ANY) NAMED("fstat(_:_:)");
int darwin_stat_(const char * ANY, struct darwin_stat * ANY) NAMED("stat(_:_:)");
int darwin_fchmod(int, mode_t) NAMED("fchmod(_:_:)");
int darwin_mkfifo(const char * ANY, mode_t) NAMED("mkfifo(_:_:)");
int darwin_mkdir(const char * ANY, mode_t) NAMED("mkdir(_:_:)");
darwin_dir * ANY darwin_opendir(const char * ANY) NAMED("opendir(_:)");
struct darwin_dirent * ANY darwin_readdir(darwin_dir * ANY) NAMED("readdir(_:)");
int darwin_closedir(darwin_dir * ANY) NAMED("closedir(_:)");
int access(const char * ANY, int);
int close(int);
int dup(int);
int fchown(int, uid_t, gid_t);
int flock(int, int);
int ftruncate(int, off_t);
off_t lseek(int, off_t, int);
ssize_t pread(int, void * ANY, size_t, off_t);
ssize_t pwrite(int, const void * ANY, size_t, off_t);
ssize_t read(int, void * ANY, size_t);
ssize_t readlink(const char * ANY, char * ANY, size_t);
char * ANY realpath(const char * ANY, char * ANY);
int rename(const char *, const char *);
int link(const char *, const char *);
int linkat(int, const char *, int, const char *, int);
#define AT_FDCWD -2
#define AT_SYMLINK_FOLLOW 0x0040
int gethostname(char *, size_t);
int rmdir(const char * ANY);
int unlink(const char * ANY);
ssize_t write(int, const void * ANY, size_t);
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x00000004
#define O_APPEND 0x00000008
#define O_CREAT 0x00000200
#define O_TRUNC 0x00000400
#define O_EXCL 0x00000800
#define O_CLOEXEC 0x01000000
#define SEEK_SET 0
#define LOCK_EX 0x02
#define LOCK_NB 0x04
#define LOCK_UN 0x08
#define X_OK 0x01
#define W_OK 0x02

// Memory and libraries.
void * ANY malloc(size_t);
void free(void * ANY);
int setenv(const char * ANY, const char * ANY, int);
char * ANY strdup(const char * ANY);
size_t strlen(const char * ANY);
int strcasecmp(const char * ANY, const char * ANY);
int strncmp(const char * ANY, const char * ANY, size_t);
char * ANY strpbrk(const char * ANY, const char * ANY);
void * ANY memchr(const void * ANY, int, size_t);
int memcmp(const void * ANY, const void * ANY, size_t);
void * ANY dlopen(const char * ANY, int);
void * ANY dlsym(void * ANY, const char * ANY);
#define RTLD_NOW 0x2
double sin(double);

// Threads.
typedef struct NAMED("pthread_mutex_t") { long sig; char opaque[56]; } darwin_mutex;
typedef struct { long sig; char opaque[8]; } darwin_mutexattr;
int darwin_mutex_init(darwin_mutex *, const darwin_mutexattr * _Nullable) NAMED("pthread_mutex_init(_:_:)");
int darwin_mutex_destroy(darwin_mutex *) NAMED("pthread_mutex_destroy(_:)");
int darwin_mutex_lock(darwin_mutex *) NAMED("pthread_mutex_lock(_:)");
int darwin_mutex_unlock(darwin_mutex *) NAMED("pthread_mutex_unlock(_:)");

// Processes. tvOS has no posix_spawn (spawn.h).
#define NOT_ON_TVOS __attribute__((availability(tvos, unavailable)))
typedef void *darwin_spawn_actions NAMED("posix_spawn_file_actions_t");
typedef void *darwin_spawnattr NAMED("posix_spawnattr_t");
int darwin_spawn(
    pid_t * ANY, const char * ANY, const darwin_spawn_actions _Nullable * _Nullable,
    const darwin_spawnattr _Nullable * _Nullable, char * _Nullable const * ANY, char * _Nullable const * ANY)
    NOT_ON_TVOS NAMED("posix_spawn(_:_:_:_:_:_:)");
int darwin_actions_init(darwin_spawn_actions _Nullable * ANY) NOT_ON_TVOS NAMED("posix_spawn_file_actions_init(_:)");
int darwin_actions_destroy(darwin_spawn_actions _Nullable * ANY) NOT_ON_TVOS NAMED("posix_spawn_file_actions_destroy(_:)");
int darwin_actions_adddup2(darwin_spawn_actions _Nullable * ANY, int, int)
    NOT_ON_TVOS NAMED("posix_spawn_file_actions_adddup2(_:_:_:)");
int darwin_actions_addopen(darwin_spawn_actions _Nullable * ANY, int, const char * ANY, int, mode_t)
    NOT_ON_TVOS NAMED("posix_spawn_file_actions_addopen(_:_:_:_:_:)");
int darwin_attr_init(darwin_spawnattr _Nullable * ANY) NOT_ON_TVOS NAMED("posix_spawnattr_init(_:)");
int darwin_attr_destroy(darwin_spawnattr _Nullable * ANY) NOT_ON_TVOS NAMED("posix_spawnattr_destroy(_:)");
int darwin_attr_setflags(darwin_spawnattr _Nullable * ANY, short) NOT_ON_TVOS NAMED("posix_spawnattr_setflags(_:_:)");
#define POSIX_SPAWN_CLOEXEC_DEFAULT 0x4000
pid_t getpid(void);
int kill(pid_t, int);
pid_t waitpid(pid_t, int * ANY, int);
typedef unsigned int darwin_id NAMED("id_t");
typedef enum NAMED("idtype_t") { P_ALL, P_PID, P_PGID } darwin_idtype;
typedef struct NAMED("siginfo_t") {
  int si_signo, si_errno, si_code;
  pid_t si_pid;
  uid_t si_uid;
  int si_status;
  void * ANY si_addr;
} darwin_siginfo;
int darwin_waitid(darwin_idtype, darwin_id, darwin_siginfo * ANY, int) NAMED("waitid(_:_:_:_:)");
#define WEXITED 0x00000004
#define WNOWAIT 0x00000020
int usleep(unsigned int);
int atexit(void (*)(void));
void exit(int) __attribute__((noreturn));
void _exit(int) __attribute__((noreturn));
void abort(void) __attribute__((noreturn));
unsigned int sleep(unsigned int);
void (* _Nullable signal(int, void (* _Nullable)(int)))(int);
typedef unsigned long long rlim_t;
struct NAMED("rlimit") darwin_rlimit { rlim_t rlim_cur, rlim_max; };
int darwin_getrlimit(int, struct darwin_rlimit * ANY) NAMED("getrlimit(_:_:)");
int darwin_setrlimit(int, const struct darwin_rlimit * ANY) NAMED("setrlimit(_:_:)");
#define RLIMIT_FSIZE 1
#define RLIMIT_NOFILE 8
#define SIGXFSZ 25
#define WNOHANG 0x00000001
#define SIGHUP 1
#define SIGINT 2
#define SIGKILL 9
#define SIGTERM 15
#define SIGPIPE 13
typedef unsigned int darwin_sigset NAMED("sigset_t");
int darwin_sigemptyset(darwin_sigset * ANY) NAMED("sigemptyset(_:)");
int darwin_sigaddset(darwin_sigset * ANY, int) NAMED("sigaddset(_:_:)");
int darwin_sigismember(const darwin_sigset * ANY, int) NAMED("sigismember(_:_:)");
int darwin_sigpending(darwin_sigset * ANY) NAMED("sigpending(_:)");
int darwin_sigwait(const darwin_sigset * ANY, int * ANY) NAMED("sigwait(_:_:)");
int darwin_pthread_sigmask(int, const darwin_sigset * _Nullable, darwin_sigset * _Nullable)
    NAMED("pthread_sigmask(_:_:_:)");
#define SIG_BLOCK 1
#define SIG_SETMASK 3

// Sockets.
struct NAMED("in_addr") darwin_in_addr { in_addr_t s_addr; };
struct NAMED("sockaddr") darwin_sockaddr {
  unsigned char sa_len;
  sa_family_t sa_family;
  char sa_data[14];
};
struct NAMED("sockaddr_in") darwin_sockaddr_in {
  unsigned char sin_len;
  sa_family_t sin_family;
  in_port_t sin_port;
  struct darwin_in_addr sin_addr;
  char sin_zero[8];
};
struct NAMED("linger") darwin_linger { int l_onoff, l_linger; };
struct NAMED("timeval") darwin_timeval { time_t tv_sec; int tv_usec; };
int socket(int, int, int);
int darwin_bind(int, const struct darwin_sockaddr * ANY, socklen_t) NAMED("bind(_:_:_:)");
int darwin_connect(int, const struct darwin_sockaddr * ANY, socklen_t) NAMED("connect(_:_:_:)");
int darwin_accept(int, struct darwin_sockaddr * ANY, socklen_t * ANY) NAMED("accept(_:_:_:)");
int darwin_getsockname(int, struct darwin_sockaddr * ANY, socklen_t * ANY) NAMED("getsockname(_:_:_:)");
int listen(int, int);
const char * ANY inet_ntop(int, const void * ANY, char * ANY, socklen_t);
int shutdown(int, int);
ssize_t send(int, const void * ANY, size_t, int);
ssize_t recv(int, void * ANY, size_t, int);
int setsockopt(int, int, int, const void * ANY, socklen_t);
int getsockopt(int, int, int, void * ANY, socklen_t * ANY);
int socketpair(int, int, int, int * ANY);
struct NAMED("pollfd") darwin_pollfd {
  int fd;
  short events, revents;
};
int darwin_poll(struct darwin_pollfd * ANY, unsigned int, int) NAMED("poll(_:_:_:)");
#define POLLIN 0x0001
#define POLLOUT 0x0004
#define F_SETFD 2
#define F_SETFL 4
#define FD_CLOEXEC 1
#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 30
#define INET6_ADDRSTRLEN 46
#define SOCK_STREAM 1
#define SOL_SOCKET 0xffff
#define SO_REUSEADDR 0x0004
#define SO_RCVBUF 0x1002
#define SO_LINGER 0x0080
#define SO_NOSIGPIPE 0x1022
#define SO_RCVTIMEO 0x1006
#define IPPROTO_TCP 6
#define TCP_NODELAY 0x01
#define SHUT_WR 1
#define SHUT_RDWR 2

// Errors.
#define EPERM 1
#define ENOENT 2
#define ESRCH 3
#define EINTR 4
#define EIO 5
#define EBADF 9
#define ENOMEM 12
#define EACCES 13
#define EEXIST 17
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENOSPC 28
#define EROFS 30
#define EPIPE 32
#define EAGAIN 35
#define EWOULDBLOCK 35
#define ENOTSUP 45
#define ECONNRESET 54
#define ELOOP 62
#define ENAMETOOLONG 63
#define EDQUOT 69
#define ENOLCK 77
#define ENOSYS 78
#define EOPNOTSUPP 102

#pragma clang assume_nonnull end
