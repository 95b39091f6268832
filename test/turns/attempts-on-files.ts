import { type Attempt, native, node, q } from "./attempt.ts";

/** Ways out by files, processes and sockets: 1 to 26. */
export const attemptsOnFiles: readonly Attempt[] = [
  { name: "1 write an existing file outside", command: node((t) => `fs.writeFileSync(${q(t.victim)}, "x")`) },
  { name: "2 append to a file outside", command: node((t) => `fs.appendFileSync(${q(t.victim)}, "x")`) },
  {
    name: "3 open read-only and truncate",
    command: node((t) => `fs.openSync(${q(t.victim)}, fs.constants.O_RDONLY | fs.constants.O_TRUNC)`),
  },
  { name: "4 truncate by path", command: node((t) => `fs.truncateSync(${q(t.victim)}, 0)`) },
  {
    name: "5 create a file outside",
    command: node(
      (t) => `fs.writeFileSync(${q(`${t.outside}/new`)}, "x")`,
      (t) => `fs.mkdirSync(${q(`${t.outside}/newdir`)})`,
    ),
  },
  {
    name: "6 remove a file and a folder outside",
    command: node(
      (t) => `fs.unlinkSync(${q(t.victim)})`,
      (t) => `fs.rmdirSync(${q(`${t.outside}/empty`)})`,
    ),
  },
  {
    name: "7 rename out of and into the workspace",
    command: node(
      (t) => `fs.writeFileSync("mine", "x"); fs.renameSync("mine", ${q(`${t.outside}/moved`)})`,
      (t) => `fs.renameSync(${q(t.victim)}, "stolen")`,
    ),
    code: "UNDECLARED_WRITE",
  },
  {
    name: "8 exchange a file with one outside",
    native: true,
    command: native((t) => `exchange ${t.victim}`),
    code: "UNDECLARED_WRITE",
  },
  {
    name: "9 hard link an outside file into the workspace, then write it",
    command: node((t) => `fs.linkSync(${q(t.victim)}, "link"); fs.writeFileSync("link", "x")`),
  },
  { name: "10 link from a path descriptor", native: true, command: native((t) => `opath ${t.victim}`) },
  {
    name: "11 write through a link to a file and to a folder",
    command: node(
      (t) => `fs.symlinkSync(${q(t.victim)}, "l1"); fs.writeFileSync("l1", "x")`,
      (t) => `fs.symlinkSync(${q(t.outside)}, "l2"); fs.writeFileSync("l2/new", "x")`,
    ),
    code: "UNDECLARED_WRITE",
  },
  {
    name: "12 dots and slashes",
    command: node(
      () => `fs.writeFileSync("../outside/victim", "x")`,
      () => `fs.writeFileSync("..//./outside/.//victim", "x")`,
      (t) => `fs.writeFileSync(${q(`${t.root}/../outside/victim`)}, "x")`,
      () => `fs.writeFileSync("/proc/self/cwd/../outside/victim", "x")`,
    ),
  },
  {
    name: "13 through /proc/self/root and cwd",
    command: node(
      (t) => `fs.writeFileSync("/proc/self/root" + ${q(t.victim)}, "x")`,
      (t) => `fs.writeFileSync("/proc/1/root" + ${q(t.victim)}, "x")`,
      () => `fs.writeFileSync("/proc/self/root/usr/planted", "x")`,
    ),
  },
  {
    name: "14 reopen a read-only descriptor for writing",
    command: node(
      () => `const d = fs.openSync("/usr/bin/env", "r"); fs.openSync("/proc/self/fd/" + d, "r+")`,
      () => `const d = fs.openSync("/etc/ld.so.cache", "r"); fs.openSync("/proc/self/fd/" + d, "r+")`,
    ),
  },
  {
    name: "15 write to every inherited descriptor",
    command: () => [
      "/bin/sh",
      "-c",
      // By the shell's own table and without a pipe: while a pipeline is built, its ends stand in that table.
      "for d in /proc/$$/fd/[3-9] /proc/$$/fd/[1-9][0-9]*; do [ -e $d ] && [ ! $d -ef /dev/null ] && readlink $d && echo DONE; done; " +
        'node -e \'const fs=require("fs");for(let d=3;d<1024;d++){try{if(fs.readlinkSync(`/proc/self/fd/${d}`).includes("outside")){fs.writeSync(d,"x");console.log("DONE",d)}}catch{}}\'; true',
    ],
  },
  {
    name: "16 through other processes' root, memory and environment",
    command: node(
      (t) => `fs.writeFileSync("/proc/${t.writPid}/root" + ${q(t.victim)}, "x")`,
      (t) => `fs.readFileSync("/proc/${t.writPid}/environ")`,
      (t) => `fs.openSync("/proc/${t.victimPid}/mem", "r+")`,
      () =>
        `if (fs.readdirSync("/proc").filter((n) => /^[0-9]+$/.test(n)).length > 5) return; throw new Error("only its own processes")`,
      () =>
        `if (!fs.readFileSync("/proc/1/environ", "utf8").includes("WRIT_BATTERY_SECRET")) throw new Error("nothing of ours")`,
    ),
  },
  {
    name: "17 trace and read other processes",
    native: true,
    command: native(
      (t) => `ptrace ${t.victimPid}`,
      (t) => `vm ${t.victimPid}`,
      (t) => `pidfd ${t.victimPid}`,
      () => "ptrace-own",
    ),
  },
  {
    name: "18 signal, limit and slow down other processes",
    native: true,
    command: (t) => [
      "/bin/sh",
      "-c",
      `kill -9 ${t.victimPid} && echo DONE; kill -9 ${t.writPid} && echo DONE; bin/attempt prlimit ${t.victimPid}; bin/attempt setpriority ${t.victimPid}; kill -9 -1 && echo signalled; true`,
    ],
    harmlessInside: true,
  },
  {
    name: "19 mode, owner, times and attributes of a file outside",
    native: true,
    command: native(
      (t) => `chmod ${t.victim}`,
      (t) => `chown ${t.victim}`,
      (t) => `xattr ${t.victim}`,
      () => "xattr bin/attempt",
      () => "flags bin/attempt",
      (t) => `chmod /usr/bin/env; touch ${t.victim}`,
    ),
    code: "TURN_FAILED",
  },
  {
    name: "20 mounts, namespaces and roots",
    native: true,
    command: native(
      () => "mount",
      () => "remount",
      () => "umount /proc/sys",
      () => "pivot",
      () => "chroot",
      () => "userns",
      () => "clone-userns",
      () => "setns",
      () => "fsopen",
    ),
  },
  { name: "21 make a disk device", native: true, command: native(() => "mknod") },
  { name: "22 open by handle", native: true, command: native(() => "handle") },
  { name: "23 io_uring", native: true, command: native(() => "uring") },
  {
    name: "24 TCP, UDP, raw and netlink sockets",
    native: true,
    command: (t) => [
      "/bin/sh",
      "-c",
      `bin/attempt socket 2 1; bin/attempt socket 2 2; bin/attempt socket 10 1; bin/attempt socket 2 3 1; bin/attempt socket 16 3; bin/attempt socket 17 3; node -e '
const net = require("node:net"), dgram = require("node:dgram");
net.connect(${t.tcpPort}, "127.0.0.1").on("connect", () => console.log("DONE tcp")).on("error", () => {});
try { const s = dgram.createSocket("udp4"); s.on("error", () => {}); s.send("x", ${t.udpPort}, "127.0.0.1", () => s.close()); } catch {}'; true`,
    ],
  },
  {
    name: "25 unix sockets by path",
    native: true,
    command: (t) => [
      "/bin/sh",
      "-c",
      `bin/attempt socket 1 1; node -e 'const net = require("node:net"); for (const p of ["agent.sock", ${q(`${t.outside}/agent.sock`)}, "/var/run/docker.sock", "/run/dbus/system_bus_socket"]) net.connect(p).on("connect", () => console.log("DONE", p)).on("error", () => {})'; true`,
    ],
  },
  {
    name: "26 abstract sockets",
    command: (t) => [
      "node",
      "-e",
      `require("node:net").connect("\\0${t.abstractName}").on("connect", () => console.log("DONE")).on("error", (e) => console.log(e.code))`,
    ],
  },
];
