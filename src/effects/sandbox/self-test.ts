import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { defaultLimits } from "./limits.ts";
import type { PreparedSandbox } from "./prepared.ts";
import { searchPath } from "./root-view.ts";

/** One thing that the sandbox tried against itself. */
export interface Probe {
  readonly name: string;
  readonly held: boolean;
  readonly found: string;
}

export interface ProbeGround {
  /** The folder that stands for the workspace. */
  readonly root: string;
  /** A file outside it that anyone may read and write. */
  readonly canary: string;
  readonly withinMs: number;
  /** Whether Landlock is to hold too. */
  readonly landlock: boolean;
}

const unbuilt = "the sandbox can be built";

/** No sandbox was built. */
export function isUnbuilt({ name, held }: Probe): boolean {
  return name === unbuilt && !held;
}

const namespaces = ["cgroup", "ipc", "mnt", "net", "pid", "user", "uts"] as const;

/**
 * The sandbox tries to escape from itself, in a folder of our own, and what it says is checked against what is seen from
 * outside. It runs once per process, before the first turn: a layer that is missing, or that is there and does nothing,
 * shows here and not in a turn.
 */
export async function selfTest(sandbox: PreparedSandbox, ground: ProbeGround): Promise<readonly Probe[]> {
  const before = readFileSync(ground.canary, "utf8");
  const opened = await sandbox.opened();
  if (!opened.ok) return [{ name: unbuilt, held: false, found: opened.error.message }];
  const outcome = await sandbox.run({
    command: ["/bin/sh", "-c", script(ground)],
    env: { PATH: searchPath, WRIT_PROBE: "1" },
    stdin: "",
    limits: { ...defaultLimits, timeoutMs: ground.withinMs },
  });
  if (!outcome.ok) return [{ name: unbuilt, held: false, found: outcome.error.message }];
  const said = new Map<string, string>();
  for (const line of outcome.value.stdout.toString("utf8").split("\n")) {
    const at = line.indexOf("=");
    if (at > 0) said.set(line.slice(0, at), line.slice(at + 1).trim());
  }
  const probe = (name: string, held: boolean, found: string): Probe => ({ name, held, found });
  const says = (name: string, key: string, expected: string) =>
    probe(name, said.get(key) === expected, `${key}: ${said.get(key) ?? "no answer"}`);
  return [
    probe("the probe ran to its end", said.get("end") === "yes", outcome.value.stderr.toString("utf8").slice(-300)),
    probe(
      "a turn is not root",
      said.get("uid") !== undefined && said.get("uid") !== "0",
      `uid ${said.get("uid") ?? "unknown"}`,
    ),
    says("no capability is held", "CapEff", "0000000000000000"),
    says("none can be gained", "NoNewPrivs", "1"),
    says("a seccomp filter is loaded", "Seccomp", "2"),
    says("the filter refuses what it should", "personality", "refused"),
    says("no namespace can be made", "unshare", "refused"),
    says("nothing can be mounted", "mount", "refused"),
    says("the kernel's settings cannot be written", "sysctl", "refused"),
    ...(ground.landlock ? [says("Landlock refuses what the mounts would let pass", "landlock", "refused")] : []),
    says("the root cannot be written", "rootwrite", "refused"),
    says("a file outside cannot be read", "read", "refused"),
    says("a file outside cannot be written", "write", "refused"),
    says("our process cannot be signalled", "signal", "refused"),
    says("a hidden file cannot be read", "hidden", "refused"),
    says("only its own descriptors are open", "descriptors", "0 1 2"),
    says("only its own environment is there", "environment", "clean"),
    ...namespaces.map((name) => {
      const ours = readlinkSync(`/proc/self/ns/${name}`);
      const its = said.get(`ns-${name}`) ?? "";
      return probe(`the ${name} namespace is its own`, its !== "" && its !== ours, its || "no answer");
    }),
    probe("the file outside is untouched", readFileSync(ground.canary, "utf8") === before, "canary"),
    probe("a write goes to the layer", existsSync(join(sandbox.slot.upper, "probe")), "upper/probe"),
    probe("a write does not reach the workspace", !existsSync(join(ground.root, "probe")), "workspace/probe"),
  ];
}

function script(ground: ProbeGround): string {
  const tried = (key: string, command: string) =>
    `if ( ${command} ) >/dev/null 2>&1; then echo ${key}=DONE; else echo ${key}=refused; fi`;
  // By its mounts: that another layer would refuse it too is no excuse for a mount that does not.
  const readOnly = (key: string, ...files: readonly string[]) =>
    `${key}=refused; for file in ${files.join(" ")}; do case $( { : >>$file; } 2>&1 ) in *Read-only*) ;; *) ${key}=DONE;; esac; done; echo ${key}=$${key}`;
  const outside = readlinkSync("/proc/self/ns/mnt");
  return [
    // First, because what follows tries to write: where no sandbox was built, it would succeed, on the machine itself. A root of
    // its own does not show the file outside, and its mounts are not Writ's.
    `if [ -e '${ground.canary}' ] || [ "$(readlink /proc/self/ns/mnt)" = '${outside}' ]; then echo bare=yes; exit 0; fi`,
    "while IFS= read -r line; do case $line in CapEff:*|NoNewPrivs:*|Seccomp:*) set -- $line; echo ${1%:}=$2;; esac; done </proc/self/status",
    // A stray descriptor of Writ's caller shows as /dev/null.
    'set -- /proc/self/fd/*; shown=; for each; do n=${each##*/}; [ -e /proc/$$/fd/$n ] && [ $n -le 2 -o "$(readlink /proc/$$/fd/$n)" != /dev/null ] && shown="$shown $n"; done; echo descriptors=${shown# }',
    "echo uid=$(id -u)",
    ...namespaces.map((name) => `echo ns-${name}=$(readlink /proc/self/ns/${name})`),
    // Exists everywhere with util-linux, and nothing but the filter forbids it.
    "if [ -x /usr/bin/setarch ]; then if setarch -R true 2>/dev/null; then echo personality=DONE; else echo personality=refused; fi; fi",
    tried("unshare", "unshare -U true || unshare -m true || unshare -n true"),
    tried("mount", "mount -t tmpfs none /tmp"),
    tried("sysctl", ": >>/proc/sys/kernel/core_pattern"), // opened for writing, never written
    tried("landlock", ": >>/proc/self/comm"), // its own name, which a process may write unless Landlock says no
    readOnly("rootwrite", "/probe", "/usr/probe", "/dev/probe"),
    tried("read", `[ -e '${ground.canary}' ] && cat '${ground.canary}'`),
    tried("write", `echo escaped >'${ground.canary}'`),
    tried("signal", `kill -0 ${process.pid}`),
    tried("hidden", "cat hidden"),
    'case "$(env | grep -vE \'^(PATH|WRIT_PROBE|PWD|OLDPWD|SHLVL|_)=\')" in "") echo environment=clean;; *) echo environment=DIRTY;; esac',
    "echo x >probe",
    "echo end=yes",
  ].join("\n");
}
