import { existsSync, lstatSync, readlinkSync } from "node:fs";
import type { Network } from "./network-gate/network.ts";

/**
 * The minimal root of a turn as bubblewrap arguments: the machine's programs and libraries, read-only; a process list,
 * devices and scratch of its own; nothing of /home, /root, /etc, /var, /run or /sys.
 */
export function rootArguments(options: {
  readonly scratchBytes: number;
  readonly nodePath: string;
  readonly network: Network;
}): readonly string[] {
  const args: string[] = ["--ro-bind", "/usr", "/usr"];
  for (const folder of ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]) {
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) args.push("--symlink", readlinkSync(folder), folder);
    else if (stat) args.push("--ro-bind", folder, folder);
  }
  for (const path of ["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"])
    args.push("--ro-bind-try", path, path);
  // TLS clients need the certificates. Names are resolved by the gate, or with full network by the machine's own resolver files.
  if (options.network !== "none") args.push("--ro-bind-try", "/etc/ssl/certs", "/etc/ssl/certs");
  if (options.network === "all")
    for (const path of ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"]) args.push("--ro-bind-try", path, path);
  if (!options.nodePath.startsWith("/usr/")) args.push("--ro-bind", options.nodePath, "/run/writ/bin/node");
  args.push("--proc", "/proc");
  // core_pattern and the like are writable for root's id even without capabilities, so file modes do not protect them.
  for (const path of ["/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi"])
    if (existsSync(path)) args.push("--ro-bind", path, path);
  for (const path of [
    "/proc/sysrq-trigger",
    "/proc/kcore",
    "/proc/keys",
    "/proc/key-users",
    "/proc/kmsg",
    "/proc/kallsyms",
    "/proc/timer_list",
  ])
    if (existsSync(path)) args.push("--ro-bind", "/dev/null", path);
  const size = String(options.scratchBytes);
  args.push("--dev", "/dev", "--remount-ro", "/dev");
  args.push(
    "--size",
    size,
    "--perms",
    "1777",
    "--tmpfs",
    "/dev/shm",
    "--size",
    size,
    "--perms",
    "1777",
    "--tmpfs",
    "/tmp",
  );
  return args;
}

export const searchPath = "/run/writ/bin:/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";
