// Each program that builds a sandbox replaced by one that does nothing, the wrong thing, hangs, lies or dies half way: as root and as an
// ordinary user, nothing outside scratch is removed or changed. A share here; WRIT_CAMPAIGN=1 is all of them, more than 500.
import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { removeWholeTree } from "#core/machine";
import { sha256 } from "#core/values";
import type { Combination, Tried } from "../support/broken-programs-child.ts";
import { joined } from "../support/joined.ts";

const programs = ["unshare", "mount", "setpriv", "sh", "bwrap", "perl", "mknod"] as const;
type Program = (typeof programs)[number];
const real: Record<Program, string> = {
  unshare: "/usr/bin/unshare",
  mount: "/usr/bin/mount",
  setpriv: "/usr/bin/setpriv",
  sh: "/bin/sh",
  bwrap: "/usr/bin/bwrap",
  perl: "/usr/bin/perl",
  mknod: "/usr/bin/mknod",
};

/** What a program does in place of its work. `$workspace` is where a wrong mount would hurt most. */
const faults: Record<string, (program: Program) => string> = {
  nothing: () => "exit 0",
  fails: () => "echo refused >&2; exit 1",
  dies: () => "kill -9 $$",
  hangs: () => "exec sleep 600",
  "dies half way": (program) => `${real[program]} "$@" <&0 & p=$!; sleep 0.1; kill -9 $p; wait $p; exit 137`,
  lies: () => `echo ready >&5; echo mounted >&5; echo '{ "child-pid": 1, "exit-code": 0 }' >&4; exit 0`,
  "the wrong thing": (program) =>
    ({
      // Runs what it was asked to wrap, in no namespace and with every right.
      unshare: `while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done; shift; exec "$@"`,
      setpriv: `while [ $# -gt 0 ]; do case $1 in --reuid|--regid) shift 2;; --*) shift;; *) break;; esac; done; exec "$@"`,
      bwrap: `while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done; shift; exec "$@"`,
      // Shows the workspace itself, writable, wherever something was to be mounted.
      mount: `for last; do :; done; exec /usr/bin/mount --bind "$workspace" "$last"`,
      sh: `exec "$interpreter" -c "$(printf %s "$2" | sed s/overlay/bind/g)"`,
      perl: `exec /usr/bin/perl -e 'print 9'`,
      mknod: `exec touch "$1"`,
    })[program],
};

interface Cast {
  readonly name: string;
  readonly uid: number;
  readonly ownerUid: number;
  readonly withoutPerl?: boolean;
}

const nobody = 65534;
const isRoot = process.getuid?.() === 0;
const self = process.getuid?.() ?? 0;
const casts: readonly Cast[] = isRoot
  ? [
      { name: "root, in a workspace of root", uid: 0, ownerUid: 0 },
      { name: "root, in a workspace of another", uid: 0, ownerUid: nobody },
      { name: "root without perl", uid: 0, ownerUid: 0, withoutPerl: true },
      { name: "an ordinary user", uid: nobody, ownerUid: nobody },
      { name: "an ordinary user without perl", uid: nobody, ownerUid: nobody, withoutPerl: true },
    ]
  : [
      { name: "an ordinary user", uid: self, ownerUid: self },
      { name: "an ordinary user without perl", uid: self, ownerUid: self, withoutPerl: true },
    ];

type Broken = Partial<Record<Program, string>>;

/** One broken program at a time with each quota, and pairs of those that make namespaces and mounts. */
function combinations(): readonly { readonly broken: Broken; readonly quota: Combination["quota"] }[] {
  const kinds = Object.keys(faults);
  const single = programs.flatMap((program) => kinds.map((kind): Broken => ({ [program]: kind })));
  const pairs = ["nothing", "lies", "the wrong thing"].flatMap((unshare) =>
    ["nothing", "the wrong thing"].map((mount): Broken => ({ unshare, mount })),
  );
  return [...single, ...pairs].flatMap((broken) =>
    (["memory", "watched"] as const).map((quota) => ({ broken, quota })),
  );
}

const probed = ["/probe", "/usr/probe", "/dev/probe"];
const share = process.env["WRIT_CAMPAIGN"] ? 1 : 11;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync("/var/tmp/writ-broken-");
  chmodSync(folder, 0o755);
  const interpreter = join(folder, "interpreter");
  writeFileSync(interpreter, readFileSync("/bin/sh"), { mode: 0o755 });
  for (const program of programs)
    for (const [kind, script] of Object.entries(faults)) {
      const header = `#!${interpreter}\ninterpreter=${interpreter}\nworkspace=$(cat ${folder}/workspace)\n`;
      writeFileSync(fakeOf(program, kind), `${header}${script(program)}\n`, { mode: 0o755 });
    }
});
afterAll(() => removeWholeTree(folder));

const fakeOf = (program: Program, kind: string) => join(folder, `${program}-${kind.replaceAll(" ", "-")}`);

/** A workspace with keys, ledgers and sources, and a folder beside it, with what they hold. */
function canary(ownerUid: number): { readonly place: string; readonly root: string; state(): Record<string, string> } {
  const place = mkdtempSync(join(folder, "canary-"));
  const root = join(place, "workspace");
  const files = [
    "planes/hot/keys/signing.pem",
    "planes/ho1/sessions/s/.events.jsonl",
    "src/a/b.ts",
    "writ.yaml",
    ".env",
  ];
  for (const path of [...files.map((file) => `workspace/${file}`), "outside/precious", "workspace/output/old"]) {
    mkdirSync(join(place, path, ".."), { recursive: true });
    writeFileSync(join(place, path), `${path}\n`);
  }
  const own = (path: string): void => {
    chownSync(path, ownerUid, ownerUid);
    if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) own(join(path, name));
  };
  if (isRoot) own(place);
  chmodSync(place, 0o755);
  return {
    place,
    root,
    state: () =>
      Object.fromEntries(
        readdirSync(place, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          // What turns themselves keep, and the one file that a turn may land.
          .filter((path) => !path.startsWith(join(root, "planes/hot/turns")) && path !== join(root, "output/made"))
          .toSorted()
          .map((path) => [
            path.slice(place.length + 1),
            `${lstatSync(path).mode} ${lstatSync(path).uid} ${sha256(readFileSync(path))}`,
          ]),
      ),
  };
}

describe.each(casts)("as $name", (cast) => {
  test("no broken program costs a file, leaves a mount or a process behind", { timeout: 3_600_000 }, async () => {
    const { place, root, state } = canary(cast.ownerUid);
    writeFileSync(join(folder, "workspace"), root);
    const before = state();
    expect(Object.keys(before)).toHaveLength(7);
    const asked = combinations().filter((_, index) => index % share === casts.indexOf(cast) % share);
    const script = joined(fileURLToPath(new URL("../support/broken-programs-child.ts", import.meta.url)));
    const drop =
      cast.uid === self ? [] : ["setpriv", "--reuid", String(cast.uid), "--regid", String(cast.uid), "--clear-groups"];
    // As root in mounts of its own, so that even a mount that goes astray ends with the test.
    const apart = isRoot ? ["unshare", "--mount", "--"] : [];
    const [program, ...args] = [...apart, ...drop, process.execPath, script, root];
    const child = spawn(program, args, {
      stdio: ["pipe", "pipe", "inherit"],
      env: { HOME: place, PATH: "/usr/bin:/bin" },
    });
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (const [id, { broken, quota }] of asked.entries()) {
      const tools = Object.fromEntries(
        Object.entries(broken).map(([name, kind]) => [name, fakeOf(name as Program, kind)]),
      );
      const combination: Combination = { id: id + 1, tools, quota, ...(cast.withoutPerl ? { withoutPerl: true } : {}) };
      child.stdin.write(`${JSON.stringify(combination)}\n`);
      const { value } = await answers.next();
      const tried = JSON.parse(String(value)) as Tried;
      expect([broken, quota, tried.mounts]).toEqual([broken, quota, []]);
      expect([broken, quota, state()]).toEqual([broken, quota, before]);
      // What the self-test tries to write: where no sandbox holds it, it must not try.
      expect([broken, quota, probed.filter((path) => existsSync(path))]).toEqual([broken, quota, []]);
    }
    child.stdin.end();
    await new Promise((resolve) => child.once("exit", resolve));
    await expect.poll(() => processesWith(folder), { timeout: 20_000 }).toEqual([]);
  });
});

/** Command lines of processes that name a path; this one and its own children of the test runner do not. */
function processesWith(path: string): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return line.includes(path) ? [`${pid} ${line}`] : [];
    } catch {
      return []; // it ended meanwhile
    }
  });
}
