/* System calls that scripts cannot make. argv: what, then its arguments. Prints DONE when the attempt had its way. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static int verdict(const char *what, long result) {
  if (result >= 0) printf("DONE %s\n", what);
  else printf("refused %s: %s\n", what, strerror(errno));
  return result >= 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  const char *path = argc > 2 ? argv[2] : "";
  long number = argc > 2 ? atol(argv[2]) : 0;
  if (!strcmp(what, "exchange")) {
    int made = open("mine", O_CREAT | O_WRONLY, 0644);
    if (made >= 0) close(made);
    return verdict(what, syscall(SYS_renameat2, AT_FDCWD, "mine", AT_FDCWD, path, 2));
  }
  if (!strcmp(what, "opath")) {
    int fd = open(path, O_PATH);
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (linkat(AT_FDCWD, link, AT_FDCWD, "linked", AT_SYMLINK_FOLLOW) == 0) verdict("link", 0);
    return verdict(what, fd < 0 ? -1 : linkat(fd, "", AT_FDCWD, "linked2", AT_EMPTY_PATH));
  }
  if (!strcmp(what, "ptrace")) return verdict(what, ptrace(PTRACE_ATTACH, (pid_t)number, 0, 0));
  if (!strcmp(what, "ptrace-own")) {
    pid_t child = fork();
    if (child == 0) { pause(); _exit(0); }
    long done = ptrace(PTRACE_ATTACH, child, 0, 0);
    int saved = errno;
    kill(child, SIGKILL);
    errno = saved;
    return verdict(what, done);
  }
  if (!strcmp(what, "vm")) {
    char buffer[8];
    struct iovec local = {buffer, 8}, remote = {(void *)0x400000, 8};
    return verdict(what, process_vm_readv((pid_t)number, &local, 1, &remote, 1, 0));
  }
  if (!strcmp(what, "pidfd")) {
    long pidfd = syscall(SYS_pidfd_open, (pid_t)number, 0);
    return verdict(what, pidfd < 0 ? -1 : syscall(438, (int)pidfd, 1, 0));
  }
  if (!strcmp(what, "prlimit")) {
    struct rlimit limit = {1, 1};
    return verdict(what, prlimit((pid_t)number, RLIMIT_NOFILE, &limit, NULL));
  }
  if (!strcmp(what, "setpriority")) return verdict(what, setpriority(PRIO_PROCESS, (id_t)number, 19));
  if (!strcmp(what, "chmod")) return verdict(what, chmod(path, 0777));
  if (!strcmp(what, "chown")) return verdict(what, chown(path, 12345, 12345));
  if (!strcmp(what, "xattr")) return verdict(what, setxattr(path, "user.writ", "x", 1, 0));
  if (!strcmp(what, "flags")) {
    int fd = open(path, O_RDONLY);
    long flags = 0x40; /* nodump */
    return verdict(what, fd < 0 ? -1 : ioctl(fd, 0x40086602, &flags));
  }
  if (!strcmp(what, "mount")) return verdict(what, mount("none", "/tmp", "tmpfs", 0, ""));
  if (!strcmp(what, "remount")) return verdict(what, mount("none", "/usr", NULL, MS_REMOUNT | MS_BIND, ""));
  if (!strcmp(what, "umount")) return verdict(what, umount2(path, MNT_DETACH));
  if (!strcmp(what, "pivot")) return verdict(what, syscall(SYS_pivot_root, "/tmp", "/tmp"));
  if (!strcmp(what, "chroot")) return verdict(what, chroot("/tmp"));
  if (!strcmp(what, "userns")) return verdict(what, unshare(CLONE_NEWUSER));
  if (!strcmp(what, "clone-userns")) return verdict(what, syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
  if (!strcmp(what, "setns")) {
    int fd = open("/proc/self/ns/net", O_RDONLY);
    return verdict(what, setns(fd, 0));
  }
  if (!strcmp(what, "fsopen")) return verdict(what, syscall(430, "tmpfs", 0));
  if (!strcmp(what, "mknod")) {
    long done = mknod("disk", S_IFBLK | 0600, makedev(254, 0));
    if (done < 0) done = mknod("/tmp/disk", S_IFBLK | 0600, makedev(254, 0));
    return verdict(what, done);
  }
  if (!strcmp(what, "handle")) {
    char space[sizeof(struct file_handle) + 128];
    struct file_handle *handle = (struct file_handle *)space;
    int mount_id;
    handle->handle_bytes = 128;
    if (name_to_handle_at(AT_FDCWD, ".", handle, &mount_id, 0) < 0) {
      handle->handle_bytes = 8;
      handle->handle_type = 1;
      memset(handle->f_handle, 0, 8);
      handle->f_handle[0] = 2; /* the root inode of an ext4 */
    }
    int here = open(".", O_RDONLY);
    return verdict(what, open_by_handle_at(here, handle, O_RDONLY));
  }
  if (!strcmp(what, "uring")) {
    char parameters[256] = {0};
    return verdict(what, syscall(425, 4, parameters));
  }
  if (!strcmp(what, "socket")) return verdict(what, socket(atoi(argv[2]), atoi(argv[3]), argc > 4 ? atoi(argv[4]) : 0));
  if (!strcmp(what, "tiocsti")) {
    char key = 'x';
    int tty = open("/dev/tty", O_RDWR);
    long done = tty < 0 ? -1 : ioctl(tty, TIOCSTI, &key);
    if (done < 0) done = ioctl(0, TIOCSTI, &key);
    return verdict(what, done);
  }
  if (!strcmp(what, "shm")) return verdict(what, shmget(0x57524954, 4096, IPC_CREAT | 0666));
  if (!strcmp(what, "msg")) return verdict(what, msgget(0x57524954, IPC_CREAT | 0666));
  if (!strcmp(what, "mq")) return verdict(what, syscall(SYS_mq_open, "writ", O_CREAT | O_RDWR, 0666, NULL));
  if (!strcmp(what, "key")) return verdict(what, syscall(SYS_add_key, "user", "writ", "x", 1, -3));
  if (!strcmp(what, "bpf")) { char attribute[128] = {0}; return verdict(what, syscall(SYS_bpf, 0, attribute, sizeof attribute)); }
  if (!strcmp(what, "perf")) { char attribute[128] = {0}; return verdict(what, syscall(SYS_perf_event_open, attribute, 0, -1, -1, 0)); }
  if (!strcmp(what, "userfaultfd")) return verdict(what, syscall(SYS_userfaultfd, 0));
  if (!strcmp(what, "tmpfile")) {
    char link[64];
    int fd = open(".", O_TMPFILE | O_RDWR, 0644);
    if (fd < 0) return verdict(what, -1);
    if (write(fd, "x", 1) < 0) return verdict(what, -1);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return verdict(what, linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW));
  }
  if (!strcmp(what, "memfd")) {
    int fd = memfd_create("x", 0);
    char *const arguments[] = {"x", "-c", argv[3], NULL}, *const environment[] = {NULL};
    int shell = open("/bin/sh", O_RDONLY);
    char buffer[65536];
    for (ssize_t count = read(shell, buffer, sizeof buffer); count > 0; count = read(shell, buffer, sizeof buffer))
      if (write(fd, buffer, (size_t)count) < 0) return 1;
    fexecve(fd, arguments, environment);
    return verdict(what, -1);
  }
  if (!strcmp(what, "setuid")) {
    long done = setuid(0);
    if (done == 0 || geteuid() == 0) return verdict(what, 0);
    return verdict(what, -1);
  }
  if (!strcmp(what, "x32")) {
#if defined(__x86_64__)
    pid_t child = fork();
    if (child == 0) { syscall(0x40000000 + 39); _exit(0); }
    int status;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) { printf("refused x32: killed\n"); return 1; }
    return verdict(what, 0);
#else
    printf("refused x32: no such ABI\n");
    return 1;
#endif
  }
  if (!strcmp(what, "i386")) {
#if defined(__x86_64__)
    pid_t child = fork();
    if (child == 0) {
      long result;
      __asm__ volatile("int $0x80" : "=a"(result) : "a"(20));
      _exit(result > 0 ? 0 : 3);
    }
    int status;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0) { printf("refused i386\n"); return 1; }
    return verdict(what, 0);
#else
    printf("refused i386: no such ABI\n");
    return 1;
#endif
  }
  if (!strcmp(what, "clone3")) {
    char arguments[88] = {0};
    long done = syscall(435, arguments, sizeof arguments);
    if (done == 0) _exit(0);
    if (done < 0 && errno == ENOSYS) { printf("refused clone3: ENOSYS\n"); return 1; }
    return verdict(what, 0);
  }
  if (!strcmp(what, "newer")) {
    for (long call = 467; call < 600; call++) {
      errno = 0;
      if (syscall(call, 0, 0, 0, 0, 0, 0) >= 0 || errno != ENOSYS) return verdict(what, 0);
    }
    printf("refused newer: ENOSYS\n");
    return 1;
  }
  if (!strcmp(what, "forkbomb")) {
    long made = 0;
    for (; made < 100000; made++) {
      pid_t child = fork();
      if (child < 0) break;
      if (child == 0) { pause(); _exit(0); }
    }
    printf("made %ld\n", made);
    return 0;
  }
  printf("unknown attempt %s\n", what);
  return 2;
}
