import { type Architecture, syscallTable } from "../seccomp/syscall-table.ts";

const used = [
  "unshare",
  "mount",
  "umount2",
  "pivot_root",
  "close",
  "setgroups",
  "setresuid",
  "setresgid",
  "setsid",
  "sethostname",
  "capset",
  "prctl",
  "prlimit64",
  "openat",
  "setns",
] as const;

/** The numbers of the calls that our programs make, as variables of theirs. */
export function callNumbers(architecture: Architecture): string {
  const numbers = syscallTable(architecture);
  return used
    .map((name) => {
      const number = numbers.get(name);
      if (number === undefined) throw new Error(`the system call ${name} is not in the table`);
      return `my $${name.replace(/\d+$/, "").toUpperCase()} = ${number};`;
    })
    .join(" ");
}
