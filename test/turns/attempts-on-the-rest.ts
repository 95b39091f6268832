import { type Attempt, native, node, q, sh } from "./attempt.ts";

/** Ways out by what is left: devices, daemons, the kernel, planting, exhaustion; and reading what is secret: 27 to 41. */
export const attemptsOnTheRest: readonly Attempt[] = [
  {
    name: "27 an existing fifo and device nodes",
    command: node(
      () => `fs.writeSync(fs.openSync("fifo", fs.constants.O_RDWR | fs.constants.O_NONBLOCK), "leak")`,
      (t) => `fs.openSync(${q(`${t.outside}/fifo`)}, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK)`,
      () =>
        `for (const d of ["vda", "sda", "mem", "kmsg", "fuse", "kvm"]) if (fs.existsSync("/dev/" + d)) return; throw new Error("no devices")`,
    ),
    harmlessInside: true,
  },
  {
    name: "28 a daemon that outlives the turn",
    command: sh(
      (t) =>
        `setsid sh -c 'sleep 1; echo late >late.txt; echo late >${t.outside}/late; sleep 60 # writ-battery-survivor' >/dev/null 2>&1 & (setsid sleep 61 &) ; exit 0`,
    ),
  },
  { name: "29 keys typed into the operator's terminal", native: true, command: native(() => "tiocsti") },
  {
    name: "30 shared memory, queues and keys",
    native: true,
    command: (t) => [
      "/bin/sh",
      "-c",
      `bin/attempt shm; bin/attempt msg; bin/attempt mq; bin/attempt key; echo x >/dev/shm/writ-battery-${t.tcpPort}; true`,
    ],
  },
  {
    name: "31 kernel settings, control groups and /sys",
    command: node(
      () => `fs.writeFileSync("/proc/sys/kernel/core_pattern", "|/tmp/x")`,
      () => `fs.openSync("/proc/sys/vm/drop_caches", "w")`,
      () =>
        `fs.openSync("/proc/sysrq-trigger", "w"); if (fs.readlinkSync("/proc/self/fd/" + fs.openSync("/proc/sysrq-trigger", "w")).includes("null")) throw new Error("covered")`,
      () => `fs.mkdirSync("/sys/fs/cgroup/x")`,
      () => `fs.writeFileSync("/sys/kernel/uevent_helper", "/tmp/x")`,
      () => `fs.writeFileSync("/proc/1/oom_score_adj", "-1000")`,
    ),
  },
  {
    name: "32 unnamed files and programs in memory",
    native: true,
    command: (t) => [
      "/bin/sh",
      "-c",
      `bin/attempt tmpfile ${t.outside}/tmpfile; bin/attempt memfd x 'echo escaped >${t.victim}; echo escaped >/usr/x'; true`,
    ],
  },
  {
    name: "33 setuid programs and file capabilities",
    native: true,
    command: (t) => [
      "/bin/sh",
      "-c",
      `bin/attempt setuid; su -c id root </dev/null | grep -q uid=0 && echo DONE; cp bin/attempt tool; chmod u+s tool; ./tool setuid; ./tool chown ${t.victim}; true`,
    ],
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
    command: () => [
      "/bin/sh",
      "-c",
      "env | grep -E 'NODE_OPTIONS|LD_PRELOAD|BASH_ENV|GIT_CONFIG|PYTHONSTARTUP|npm_config|WRIT_BATTERY_SECRET' && echo DONE; true",
    ],
  },
  {
    name: "36 git hooks, package scripts and binaries in a declared folder",
    command: sh(
      () =>
        "mkdir -p project/.git/hooks project/node_modules/.bin && echo x >project/.git/hooks/pre-commit && echo x >project/.git/config && echo '{}' >project/package.json && echo x >project/node_modules/.bin/tsc && echo fine >project/readme.txt",
    ),
    outputs: ["project/"],
    code: "UNDECLARED_WRITE",
  },
  {
    name: "37 plant policy, configuration, skills and workflows",
    command: sh(
      () =>
        "mkdir -p hooks skills/evil workflows/policies agents frameworks/FMWK-666 packages schemas .claude; for f in hooks/pre.sh skills/evil/SKILL.md workflows/policies/p.yaml agents/lead.md frameworks/FMWK-666/manifest.yaml packages/x schemas/plan_v1.json writ.yaml .claude/settings.json AGENTS.md; do echo planted >$f; done",
    ),
    code: "UNDECLARED_WRITE",
  },
  {
    name: "39 other system call interfaces and newer calls",
    native: true,
    command: native(
      () => "x32",
      () => "i386",
      () => "clone3",
      () => "newer",
      () => "bpf",
      () => "perf",
      () => "userfaultfd",
    ),
  },
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
    command: () => [
      "node",
      "-e",
      `const fs = require("fs"); for (let i = 0; i < 1e6; i++) fs.writeFileSync("f" + i, "")`,
    ],
    limits: { layerFiles: 500, timeoutMs: 30_000 },
    code: "TURN_LIMIT",
  },
  {
    name: "40d folders nested deeper than a path",
    command: () => [
      "node",
      "-e",
      `const fs = require("fs"); for (let i = 0; i < 1500; i++) { fs.mkdirSync("dddddd"); process.chdir("dddddd"); } fs.writeFileSync("bottom", "x")`,
    ],
    code: "UNDECLARED_WRITE",
  },
  {
    name: "40e names that are hard to write down",
    command: () => [
      "node",
      "-e",
      `const fs = require("fs"); fs.writeFileSync("a\\nb", "x"); fs.writeFileSync(Buffer.from([0x66, 0xff, 0xfe]), "x"); fs.writeFileSync("__proto__", "x"); fs.writeFileSync("constructor", "x"); fs.writeFileSync("n".repeat(255), "x")`,
    ],
    code: "UNDECLARED_WRITE",
  },
  {
    name: "40f memory without end",
    command: () => ["node", "-e", "const held = []; for (;;) held.push(Buffer.alloc(1 << 26, 1))"],
    limits: { memoryBytes: 512 * 2 ** 20, timeoutMs: 20_000 },
    code: "TURN_FAILED",
  },
  {
    name: "40g time without end",
    command: () => ["/bin/sh", "-c", "trap '' TERM INT; while :; do :; done"],
    limits: { timeoutMs: 400 },
    code: "TIMEOUT",
  },
  {
    name: "40h output without end",
    command: () => ["/bin/sh", "-c", "yes"],
    limits: { fileBytes: 2 ** 20, outputBytes: 2 ** 16, timeoutMs: 10_000 },
    code: "TURN_LIMIT",
  },
  {
    name: "41 read secrets outside",
    command: node(
      (t) => `fs.readFileSync(${q(t.secret)})`,
      () => `fs.readFileSync("/etc/shadow")`,
      () => `fs.readFileSync("/etc/passwd")`,
      () => `fs.readdirSync("/root")`,
      () => `fs.readdirSync("/home")`,
      () =>
        `if (fs.readdirSync("/var").some((n) => n !== "tmp") || fs.readdirSync("/var/tmp").length > 1) return; throw new Error("nothing")`,
      () => `if (fs.readdirSync("/run").some((n) => n !== "writ")) return; throw new Error("nothing")`,
      () => `fs.readdirSync("planes")`,
      () => `fs.readFileSync(".env")`,
      () => `fs.readFileSync("keys/signing.key")`,
      () => `fs.readFileSync("writ.yaml")`,
      () => `fs.readFileSync("/proc/kcore")`,
      () =>
        `fs.readFileSync("/proc/self/mountinfo", "utf8").includes("workspace-secret") || (() => { throw new Error("none") })()`,
    ),
  },
];
