import { readlinkSync } from "node:fs";
import { channel } from "./channel.ts";
import type { SandboxTools } from "./host-programs.ts";
import type { Identity } from "./identity.ts";
import type { Launcher } from "./launcher.ts";
import type { LowerLayers } from "./lower-layers.ts";
import type { Network } from "./network-gate/network.ts";
import { quote } from "./quote.ts";
import type { Slot } from "./slot.ts";

export interface HolderPlan {
  readonly tools: SandboxTools;
  readonly identity: Identity;
  readonly slot: Slot;
  readonly root: string;
  readonly rootArguments: readonly string[];
  readonly launcher: Launcher;
  /** What builds the sandbox inside it: bubblewrap, or what stands in for it. */
  readonly builder: readonly string[];
  /** The holder for perl; without it the shell's. */
  readonly program: string | undefined;
  readonly network: Network;
  /** Paths of the machine that the sandbox shows beside its root and the workspace. */
  readonly binds: readonly Bind[];
  /** Options of the file system that holds the layer; undefined where the layer lies on the disk. */
  readonly space: string | undefined;
  /** Files of control groups that the holder enters, and everything after it. */
  readonly joinFiles: readonly string[];
}

/** A path of the machine that one sandbox shows, in its own place. */
export interface Bind {
  readonly path: string;
  readonly write: boolean;
  /** What is made of it where it is not there yet. */
  readonly isFolder?: boolean;
}

/** The program that becomes the holder, with its arguments. */
export function holderCommand(plan: HolderPlan): readonly [program: string, ...args: string[]] {
  const { tools, identity, slot, root, joinFiles } = plan;
  const shifted = identity.kind === "shifted" ? plan.binds.map(({ path }) => path) : [];
  if (plan.program !== undefined && tools.perl !== undefined)
    return [
      tools.perl,
      "-e",
      plan.program,
      identity.kind,
      String(identity.uid),
      String(identity.gid),
      slot.folder,
      root,
      plan.space ?? "",
      String(joinFiles.length),
      ...joinFiles,
      String(shifted.length),
      ...shifted,
      ...plan.builder,
      ...sandboxArguments(plan),
    ];
  const userNamespace = identity.kind === "self" || identity.kind === "mapped" ? ["--user", "--map-root-user"] : [];
  return [tools.unshare, ...userNamespace, "--mount", "--", tools.sh, "-c", holderScript(plan)];
}

/** The inside id of every turn; outside it is the identity's. */
const insideId = "1000";

/** Where the workspace's real tree is found in the holder's namespace. */
export function lowerPath(plan: Pick<HolderPlan, "identity" | "slot" | "root">): string {
  return plan.identity.kind === "shifted" ? plan.slot.lower : plan.root;
}

/**
 * The holder's script, where there is no perl. It keeps the mount namespace alive until Writ has read the layer, and ends with Writ: its
 * control channel closes whichever way Writ dies, and bubblewrap dies with the holder.
 * The overlay is mounted last, when the turn is known, and reaches the waiting sandbox by mount propagation: a tree
 * that changes under a mounted overlay is undefined, so a pooled sandbox must not hold one.
 */
function holderScript(plan: HolderPlan): string {
  const { tools, slot, identity } = plan;
  const mount = quote(tools.mount);
  const lines = [
    "set -eu",
    // If `unshare` did nothing, the mounts would be made in the machine's own namespace and stay there.
    `case $(readlink /proc/self/ns/mnt) in ${quote(readlinkSync("/proc/self/ns/mnt"))}) echo the mounts are not its own >&2; exit 1;; mnt:*) ;; *) exit 1;; esac`,
    `${mount} --make-rprivate /`,
    ...plan.joinFiles.map((file) => `echo 0 >${quote(file)}`),
    `cd ${quote(slot.folder)}`,
    `${mount} --bind merged merged`,
    `${mount} --make-shared merged`,
  ];
  if (plan.space !== undefined)
    lines.push(
      `${mount} -t tmpfs -o ${quote(`nosuid,nodev,${plan.space}`)} tmpfs space`,
      "mkdir space/upper space/work",
      "chmod --reference=mask space/upper space/work",
      ...(identity.kind === "owner" ? [`chown ${identity.uid}:${identity.gid} space space/upper`] : []),
    );
  const drop =
    identity.kind === "owner"
      ? [
          tools.setpriv,
          "--reuid",
          String(identity.uid),
          "--regid",
          String(identity.gid),
          "--clear-groups",
          "--inh-caps=-all",
          "--no-new-privs",
          "--pdeathsig=KILL",
        ]
      : [tools.setpriv, "--pdeathsig=KILL"];
  const start = [...drop, ...plan.builder, ...sandboxArguments(plan)].map(quote).join(" ");
  lines.push("exec 7<&0", `${start} 0<&7 7<&- 5<&- &`, "exec 0<&- 7<&- 3<&- 4>&- 6<&-");
  lines.push("echo ready >&5", "IFS= read -r options <&5 || exit 0");
  lines.push(
    `${mount} -t overlay overlay -o "nosuid,nodev,$options" merged`,
    "echo mounted >&5",
    "read -r end <&5 || exit 0",
  );
  return `N='\n'\n${lines.join("\n")}\n`;
}

function sandboxArguments(plan: HolderPlan): readonly string[] {
  const network = plan.network === "all" ? "--share-net" : "";
  const words = [
    `--unshare-all ${network} --unshare-user --uid ${insideId} --gid ${insideId} --disable-userns --cap-drop ALL`,
    "--die-with-parent --new-session --as-pid-1 --clearenv --hostname writ",
    `--seccomp ${channel.seccomp} --json-status-fd ${channel.status}`,
  ].flatMap((line) => line.split(" ").filter((word) => word !== ""));
  const binds = plan.binds.flatMap(({ path, write }, index) => [
    write ? "--bind" : "--ro-bind",
    plan.identity.kind === "shifted" ? bindPath(plan.slot, index) : path,
    path,
  ]);
  const writable = plan.binds.filter(({ write }) => write).map(({ path }) => path);
  const workspace = ["--bind", plan.slot.merged, plan.root, "--remount-ro", "/"];
  const launched = plan.launcher.command({ ...plan, writable });
  return [...words, ...plan.rootArguments, ...binds, ...workspace, "--", ...launched];
}

/** Where the holder shows a bound path under a shifted id, for bubblewrap to take it from. */
export function bindPath(slot: Slot, index: number): string {
  return `${slot.folder}/bind-${index}`;
}

/** The options with which the overlay is mounted. User attributes where an ordinary user mounts. */
export function overlayOptions(
  plan: Pick<HolderPlan, "identity" | "slot" | "root">,
  lower: LowerLayers = "workspace",
): string {
  const escaped = (path: string) => path.replaceAll("\\", "\\\\").replaceAll(":", "\\:").replaceAll(",", "\\,");
  const userxattr = plan.identity.kind === "self" || plan.identity.kind === "mapped" ? ",userxattr" : "";
  // The snapshot lies over the mask: what the mask hides of the workspace is hidden below it, and what is code is never hidden.
  const layers =
    lower === "workspace"
      ? [plan.slot.mask, lowerPath(plan)]
      : [lower.code, plan.slot.mask, ...(lower.workspace ? [lowerPath(plan)] : [])];
  return `lowerdir=${layers.map(escaped).join(":")},upperdir=${escaped(plan.slot.upper)},workdir=${escaped(plan.slot.work)}${userxattr}`;
}
