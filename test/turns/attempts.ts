/** The escape battery: forty ways out, and reading what is secret. Each is a program that a turn runs. */

/** What the attempts may aim at; all of it lies outside the sandbox. */
export interface Targets {
  readonly outside: string;
  readonly victim: string;
  readonly secret: string;
  readonly root: string;
  readonly victimPid: number;
  readonly writPid: number;
  readonly tcpPort: number;
  readonly udpPort: number;
  readonly abstractName: string;
}

export interface Attempt {
  readonly name: string;
  readonly command: (targets: Targets) => readonly string[];
  /** Needs the compiled program. */
  readonly native?: boolean;
  readonly outputs?: readonly string[];
  readonly limits?: Readonly<Record<string, number>>;
  /** The code that the turn must end with, where the attempt leaves something to find. */
  readonly code?: string;
  /** What its output must hold. */
  readonly says?: RegExp;
  /** DONE means here only that the call succeeded inside, where it has no effect outside. */
  readonly harmlessInside?: boolean;
}

/** Each statement on its own: one that is refused does not spare us the next. */
const node =
  (...statements: readonly ((targets: Targets) => string)[]) =>
  (targets: Targets): readonly string[] => [
    "node",
    "-e",
    `const fs = require("node:fs"); const attempt = (f) => { try { f(); console.log("DONE"); } catch (e) { console.log("refused", e.code ?? e.message); } };\n${statements
      .map((each) => `attempt(() => { ${each(targets)} });`)
      .join("\n")}`,
  ];
const sh =
  (script: (targets: Targets) => string) =>
  (targets: Targets): readonly string[] => ["/bin/sh", "-c", script(targets)];
const native =
  (...calls: readonly ((targets: Targets) => string)[]) =>
  (targets: Targets): readonly string[] => ["/bin/sh", "-c", calls.map((each) => `bin/attempt ${each(targets)}`).join("; ")];
const q = (text: string) => JSON.stringify(text);

export const attempts: readonly Attempt[] = [
  { name: "1 write an existing file outside", command: node((t) => `fs.writeFileSync(${q(t.victim)}, "x")`) },
  { name: "2 append to a file outside", command: node((t) => `fs.appendFileSync(${q(t.victim)}, "x")`) },
  { name: "3 open read-only and truncate", command: node((t) => `fs.openSync(${q(t.victim)}, fs.constants.O_RDONLY | fs.constants.O_TRUNC)`) },
  { name: "4 truncate by path", command: node((t) => `fs.truncateSync(${q(t.victim)}, 0)`) },
  { name: "5 create a file outside", command: node((t) => `fs.writeFileSync(${q(`${t.outside}/new`)}, "x")`, (t) => `fs.mkdirSync(${q(`${t.outside}/newdir`)})`) },
  { name: "6 remove a file and a folder outside", command: node((t) => `fs.unlinkSync(${q(t.victim)})`, (t) => `fs.rmdirSync(${q(`${t.outside}/empty`)})`) },
  {
    name: "7 rename out of and into the workspace",
    command: node((t) => `fs.writeFileSync("mine", "x"); fs.renameSync("mine", ${q(`${t.outside}/moved`)})`, (t) => `fs.renameSync(${q(t.victim)}, "stolen")`),
    code: "UNDECLARED_WRITE",
  },
  { name: "8 exchange a file with one outside", native: true, command: native((t) => `exchange ${t.victim}`), code: "UNDECLARED_WRITE" },
  { name: "9 hard link an outside file into the workspace, then write it", command: node((t) => `fs.linkSync(${q(t.victim)}, "link"); fs.writeFileSync("link", "x")`) },
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
    command: node((t) => `fs.writeFileSync("/proc/self/root" + ${q(t.victim)}, "x")`, (t) => `fs.writeFileSync("/proc/1/root" + ${q(t.victim)}, "x")`, () => `fs.writeFileSync("/proc/self/root/usr/planted", "x")`),
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
    command: () => ["/bin/sh", "-c", "for d in /proc/self/fd/*; do n=${d##*/}; case $n in 0|1|2) ;; *) readlink /proc/$$/fd/$n;; esac; done | grep -v /dev/null && echo DONE; node -e 'const fs=require(\"fs\");for(let d=3;d<1024;d++){try{if(fs.readlinkSync(`/proc/self/fd/${d}`).includes(\"outside\")){fs.writeSync(d,\"x\");console.log(\"DONE\",d)}}catch{}}'; true"],
  },
  {
    name: "16 through other processes' root, memory and environment",
    command: node(
      (t) => `fs.writeFileSync("/proc/${t.writPid}/root" + ${q(t.victim)}, "x")`,
      (t) => `fs.readFileSync("/proc/${t.writPid}/environ")`,
      (t) => `fs.openSync("/proc/${t.victimPid}/mem", "r+")`,
      () => `if (fs.readdirSync("/proc").filter((n) => /^[0-9]+$/.test(n)).length > 5) return; throw new Error("only its own processes")`,
      () => `if (!fs.readFileSync("/proc/1/environ", "utf8").includes("WRIT_BATTERY_SECRET")) throw new Error("nothing of ours")`,
    ),
  },
  { name: "17 trace and read other processes", native: true, command: native((t) => `ptrace ${t.victimPid}`, (t) => `vm ${t.victimPid}`, (t) => `pidfd ${t.victimPid}`, () => "ptrace-own") },
  {
    name: "18 signal, limit and slow down other processes",
    native: true,
    command: (t) => ["/bin/sh", "-c", `kill -9 ${t.victimPid} && echo DONE; kill -9 ${t.writPid} && echo DONE; bin/attempt prlimit ${t.victimPid}; bin/attempt setpriority ${t.victimPid}; kill -9 -1 && echo signalled; true`],
    harmlessInside: true,
  },
  {
    name: "19 mode, owner, times and attributes of a file outside",
    native: true,
    command: native((t) => `chmod ${t.victim}`, (t) => `chown ${t.victim}`, (t) => `xattr ${t.victim}`, () => "xattr bin/attempt", () => "flags bin/attempt", (t) => `chmod /usr/bin/env; touch ${t.victim}`),
    code: "TURN_FAILED",
  },
  {
    name: "20 mounts, namespaces and roots",
    native: true,
    command: native(() => "mount", () => "remount", () => "umount /proc/sys", () => "pivot", () => "chroot", () => "userns", () => "clone-userns", () => "setns", () => "fsopen"),
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
    command: (t) => ["node", "-e", `require("node:net").connect("\\0${t.abstractName}").on("connect", () => console.log("DONE")).on("error", (e) => console.log(e.code))`],
  },
  {
    name: "27 an existing fifo and device nodes",
    command: node(
      () => `fs.writeSync(fs.openSync("fifo", fs.constants.O_RDWR | fs.constants.O_NONBLOCK), "leak")`,
      (t) => `fs.openSync(${q(`${t.outside}/fifo`)}, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK)`,
      () => `for (const d of ["vda", "sda", "mem", "kmsg", "fuse", "kvm"]) if (fs.existsSync("/dev/" + d)) return; throw new Error("no devices")`,
    ),
    harmlessInside: true,
  },
  {
    name: "28 a daemon that outlives the turn",
    command: sh((t) => `setsid sh -c 'sleep 1; echo late >late.txt; echo late >${t.outside}/late; sleep 60 # writ-battery-survivor' >/dev/null 2>&1 & (setsid sleep 61 &) ; exit 0`),
  },
  { name: "29 keys typed into the operator's terminal", native: true, command: native(() => "tiocsti") },
  {
    name: "30 shared memory, queues and keys",
    native: true,
    command: (t) => ["/bin/sh", "-c", `bin/attempt shm; bin/attempt msg; bin/attempt mq; bin/attempt key; echo x >/dev/shm/writ-battery-${t.tcpPort}; true`],
  },
  {
    name: "31 kernel settings, control groups and /sys",
    command: node(
      () => `fs.writeFileSync("/proc/sys/kernel/core_pattern", "|/tmp/x")`,
      () => `fs.openSync("/proc/sys/vm/drop_caches", "w")`,
      () => `fs.openSync("/proc/sysrq-trigger", "w"); if (fs.readlinkSync("/proc/self/fd/" + fs.openSync("/proc/sysrq-trigger", "w")).includes("null")) throw new Error("covered")`,
      () => `fs.mkdirSync("/sys/fs/cgroup/x")`,
      () => `fs.writeFileSync("/sys/kernel/uevent_helper", "/tmp/x")`,
      () => `fs.writeFileSync("/proc/1/oom_score_adj", "-1000")`,
    ),
  },
  {
    name: "32 unnamed files and programs in memory",
    native: true,
    command: (t) => ["/bin/sh", "-c", `bin/attempt tmpfile ${t.outside}/tmpfile; bin/attempt memfd x 'echo escaped >${t.victim}; echo escaped >/usr/x'; true`],
  },
  {
    name: "33 setuid programs and file capabilities",
    native: true,
    command: (t) => ["/bin/sh", "-c", `bin/attempt setuid; su -c id root </dev/null | grep -q uid=0 && echo DONE; cp bin/attempt tool; chmod u+s tool; ./tool setuid; ./tool chown ${t.victim}; true`],
    code: "UNDECLARED_WRITE",
  },
  {
    name: "34 asynchronous writes, worker threads and native modules of Node",
    native: true,
    command: (t) => [
      "node",
      "--input-type=module",
      "-e",
      `import { promises } from "node:fs"; import { Worker } from "node:worker_threads";
const done = await Promise.allSettled(Array.from({ length: 16 }, (_, i) => promises.writeFile(${q(t.outside)} + "/async" + i, "x")));
for (const d of done) if (d.status === "fulfilled") console.log("DONE async");
await new Promise((r) => new Worker('require("node:fs").writeFileSync(' + ${q(JSON.stringify(`${t.outside}/worker`))} + ', "x"); console.log("DONE worker")', { eval: true }).on("error", r).on("exit", r));
try { process.dlopen({ exports: {} }, ${q(`${t.root}/bin/evil.node`)}); } catch {}`,
    ],
  },
  {
    name: "35 nothing of Writ's environment reaches a turn",
    command: () => ["/bin/sh", "-c", "env | grep -E 'NODE_OPTIONS|LD_PRELOAD|BASH_ENV|GIT_CONFIG|PYTHONSTARTUP|npm_config|WRIT_BATTERY_SECRET' && echo DONE; true"],
  },
  {
    name: "36 git hooks, package scripts and binaries in a declared folder",
    command: sh(
      () => "mkdir -p project/.git/hooks project/node_modules/.bin && echo x >project/.git/hooks/pre-commit && echo x >project/.git/config && echo '{}' >project/package.json && echo x >project/node_modules/.bin/tsc && echo fine >project/readme.txt",
    ),
    outputs: ["project/"],
    code: "UNDECLARED_WRITE",
  },
  {
    name: "37 plant policy, configuration, skills and workflows",
    command: sh(
      () => "mkdir -p hooks skills/evil workflows/policies agents frameworks/FMWK-666 packages schemas .claude; for f in hooks/pre.sh skills/evil/SKILL.md workflows/policies/p.yaml agents/lead.md frameworks/FMWK-666/manifest.yaml packages/x schemas/plan_v1.json writ.yaml .claude/settings.json AGENTS.md; do echo planted >$f; done",
    ),
    code: "UNDECLARED_WRITE",
  },
  { name: "39 other system call interfaces and newer calls", native: true, command: native(() => "x32", () => "i386", () => "clone3", () => "newer", () => "bpf", () => "perf", () => "userfaultfd") },
  {
    name: "40a a fork bomb ends at its limit",
    native: true,
    command: native(() => "forkbomb"),
    limits: { processes: 40, timeoutMs: 20_000 },
    says: /made [34]\d\b/,
  },
  {
    name: "40b a sparse file of 100 GB",
    command: node(() => `const d = fs.openSync("huge", "w"); fs.ftruncateSync(d, 100e9)`),
    code: "UNDECLARED_WRITE",
  },
  {
    name: "40c more files than the limit",
    command: () => ["node", "-e", `const fs = require("fs"); for (let i = 0; i < 1e6; i++) fs.writeFileSync("f" + i, "")`],
    limits: { layerFiles: 500, timeoutMs: 30_000 },
    code: "TURN_LIMIT",
  },
  {
    name: "40d folders nested deeper than a path",
    command: () => ["node", "-e", `const fs = require("fs"); for (let i = 0; i < 1500; i++) { fs.mkdirSync("dddddd"); process.chdir("dddddd"); } fs.writeFileSync("bottom", "x")`],
    code: "UNDECLARED_WRITE",
  },
  {
    name: "40e names that are hard to write down",
    command: () => ["node", "-e", `const fs = require("fs"); fs.writeFileSync("a\\nb", "x"); fs.writeFileSync(Buffer.from([0x66, 0xff, 0xfe]), "x"); fs.writeFileSync("__proto__", "x"); fs.writeFileSync("constructor", "x"); fs.writeFileSync("n".repeat(255), "x")`],
    code: "UNDECLARED_WRITE",
  },
  { name: "40f memory without end", command: () => ["node", "-e", "const held = []; for (;;) held.push(Buffer.alloc(1 << 26, 1))"], limits: { memoryBytes: 512 * 2 ** 20, timeoutMs: 20_000 }, code: "TURN_FAILED" },
  { name: "40g time without end", command: () => ["/bin/sh", "-c", "trap '' TERM INT; while :; do :; done"], limits: { timeoutMs: 400 }, code: "TIMEOUT" },
  { name: "40h output without end", command: () => ["/bin/sh", "-c", "yes"], limits: { fileBytes: 2 ** 20, outputBytes: 2 ** 16, timeoutMs: 10_000 }, code: "TURN_LIMIT" },
  {
    name: "41 read secrets outside",
    command: node(
      (t) => `fs.readFileSync(${q(t.secret)})`,
      () => `fs.readFileSync("/etc/shadow")`,
      () => `fs.readFileSync("/etc/passwd")`,
      () => `fs.readdirSync("/root")`,
      () => `fs.readdirSync("/home")`,
      () => `if (fs.readdirSync("/var").some((n) => n !== "tmp") || fs.readdirSync("/var/tmp").length > 1) return; throw new Error("nothing")`,
      () => `if (fs.readdirSync("/run").some((n) => n !== "writ")) return; throw new Error("nothing")`,
      () => `fs.readdirSync("planes")`,
      () => `fs.readFileSync(".env")`,
      () => `fs.readFileSync("keys/signing.key")`,
      () => `fs.readFileSync("writ.yaml")`,
      () => `fs.readFileSync("/proc/kcore")`,
      () => `fs.readFileSync("/proc/self/mountinfo", "utf8").includes("workspace-secret") || (() => { throw new Error("none") })()`,
    ),
  },
];
