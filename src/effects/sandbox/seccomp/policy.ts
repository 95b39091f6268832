import { unreachable } from "#core/values";

/** What the filter answers; numbers are the kernel's errno, the same on both architectures. */
export type Answer = "allow" | "kill" | { readonly errno: number };

const eperm = { errno: 1 } as const;
const enosys = { errno: 38 } as const;
const eopnotsupp = { errno: 95 } as const;
const eafnosupport = { errno: 97 } as const;

/** Calls that are refused whatever their arguments. Each line is one way out that the battery tries. */
const refused: readonly (readonly [answer: Answer, names: string])[] = [
  // other processes, their memory and their descriptors
  [
    eperm,
    "ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp process_madvise process_mrelease move_pages migrate_pages",
  ],
  // mounts, roots and namespaces
  [
    eperm,
    "mount umount umount2 pivot_root chroot move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr setns unshare",
  ],
  // files by handle pass every path check; io_uring passes this filter
  [eperm, "open_by_handle_at name_to_handle_at"],
  [
    enosys,
    "io_uring_setup io_uring_enter io_uring_register io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents",
  ],
  // the kernel itself: programs, events, modules, clocks, names, keys, ports
  [
    eperm,
    "bpf perf_event_open userfaultfd fanotify_init fanotify_mark lookup_dcookie syslog acct quotactl quotactl_fd",
  ],
  [
    eperm,
    "init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff iopl ioperm modify_ldt",
  ],
  [eperm, "settimeofday clock_settime adjtimex clock_adjtime sethostname setdomainname vhangup ustat sysfs"],
  [eperm, "keyctl add_key request_key memfd_secret get_mempolicy set_mempolicy mbind set_mempolicy_home_node"],
  // memory and queues that outlive or leave a process
  [eperm, "shmget shmat shmctl shmdt semget semop semtimedop semctl msgget msgsnd msgrcv msgctl"],
  [eperm, "mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr vmsplice remap_file_pages"],
  // attributes would have to be declared and compared; programs that copy files take "not supported" for an answer
  [eopnotsupp, "setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr setxattrat removexattrat"],
  // its flags lie in memory, where a filter cannot look: the C library falls back to clone
  [enosys, "clone3"],
];

/** A test on one 32-bit half of an argument; the first that holds decides. */
export interface ArgumentRule {
  readonly argument: number;
  readonly test:
    | { readonly kind: "equals"; readonly value: number }
    | { readonly kind: "anyBit" | "maskEquals"; readonly mask: number; readonly value?: number };
  readonly answer: Answer;
}

export interface CallRule {
  readonly rules: readonly ArgumentRule[];
  readonly otherwise: Answer;
}

// NEWTIME 0x80, NEWNS 0x20000, NEWCGROUP 0x2000000, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. Of these 0x80 is a
// signal bit in clone's flags, so it is left to the refusal of clone3 and unshare.
const namespaceFlags = 0x7e020000;
const inet = 2;
const inet6 = 10;
const unix = 1;

export interface FilterOptions {
  /** Internet sockets, for a turn whose network was granted. Unix sockets are never made: they leave by the file tree. */
  readonly network: boolean;
}

function conditional(options: FilterOptions): ReadonlyMap<string, CallRule> {
  const fileKind = (argument: number): CallRule => ({
    // Plain files, fifos and sockets; devices never.
    rules: [0, 0o100000, 0o010000, 0o140000].map((value) => ({
      argument,
      test: { kind: "maskEquals", mask: 0o170000, value } as const,
      answer: "allow" as const,
    })),
    otherwise: eperm,
  });
  return new Map<string, CallRule>([
    [
      "clone",
      { rules: [{ argument: 0, test: { kind: "anyBit", mask: namespaceFlags }, answer: eperm }], otherwise: "allow" },
    ],
    [
      "socket",
      {
        rules: options.network
          ? [inet, inet6].map((value) => ({
              argument: 0,
              test: { kind: "equals", value } as const,
              answer: "allow" as const,
            }))
          : [],
        otherwise: eafnosupport,
      },
    ],
    // Node speaks to its children over unnamed pairs.
    [
      "socketpair",
      { rules: [{ argument: 0, test: { kind: "equals", value: unix }, answer: "allow" }], otherwise: eafnosupport },
    ],
    ["mknod", fileKind(1)],
    ["mknodat", fileKind(2)],
    [
      "ioctl",
      {
        // TIOCSTI, TIOCLINUX: keys typed into the operator's terminal; FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR: inode flags.
        rules: [0x5412, 0x541c, 0x40086602, 0x401c5820].map((value) => ({
          argument: 1,
          test: { kind: "equals", value } as const,
          answer: eperm,
        })),
        otherwise: "allow",
      },
    ],
    [
      "personality",
      {
        rules: [0, 0xffffffff].map((value) => ({
          argument: 0,
          test: { kind: "equals", value } as const,
          answer: "allow" as const,
        })),
        otherwise: eperm,
      },
    ],
  ]);
}

/** The rule for each known call, by name. */
export function rulesFor(names: Iterable<string>, options: FilterOptions): ReadonlyMap<string, CallRule> {
  const byName = new Map<string, Answer>();
  for (const [answer, list] of refused) for (const name of list.split(" ")) byName.set(name, answer);
  const special = conditional(options);
  const rules = new Map<string, CallRule>();
  for (const name of names) {
    rules.set(name, special.get(name) ?? { rules: [], otherwise: byName.get(name) ?? "allow" });
  }
  return rules;
}

/** The value that a seccomp program returns. */
export function returnValue(answer: Answer): number {
  if (answer === "allow") return 0x7fff0000;
  if (answer === "kill") return 0x80000000;
  if (typeof answer === "object") return 0x00050000 | answer.errno;
  return unreachable(answer);
}

export const unknownCall: Answer = enosys;
