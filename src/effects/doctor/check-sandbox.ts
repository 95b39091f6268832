import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withScratchFolder } from "#core/machine";
import { type DoctorCheck, doctorCheck, type Observation } from "#core/shapes";
import { programAnswer } from "./program-answer.ts";

// What each helper of the turn sandbox does when it is tried, not what a version number promises.

const isLinux = process.platform === "linux";
const elsewhere: Observation<"elsewhere"> = {
  health: "limited",
  found: `there is none on ${process.platform}`,
  why: "turns are refused unless writ.yaml asks for a weaker sandbox.minimum_tier",
  cause: "elsewhere",
};

export const checkBubblewrap: DoctorCheck = doctorCheck<"elsewhere" | "missing" | "refused">({
  id: "sandbox.bubblewrap",
  title: "Sandbox: bubblewrap",
  run: async (surroundings) => {
    if (!isLinux) return elsewhere;
    const version = await programAnswer(surroundings, ["bwrap", "--version"]);
    if (version === undefined)
      return {
        health: "limited",
        found: "not installed",
        why: "programs of agents run only where writ.yaml says sandbox.minimum_tier: T2, in a sandbox of our own making (it needs perl)",
        cause: "missing",
      };
    const tried = await programAnswer(surroundings, [
      "bwrap",
      "--unshare-all",
      "--die-with-parent",
      "--ro-bind",
      "/",
      "/",
      "true",
    ]);
    return tried === undefined
      ? {
          health: "limited",
          found: `${version} is installed and cannot start a sandbox here`,
          why: "turns are refused",
          cause: "refused",
        }
      : { health: "works", found: `${version} starts a sandbox` };
  },
  remedy: (cause) =>
    ({
      elsewhere: null,
      missing: "apt-get install bubblewrap",
      refused: "allow user namespaces: sysctl -w kernel.unprivileged_userns_clone=1",
    })[cause],
});

export const checkUserNamespaces: DoctorCheck = doctorCheck<"elsewhere" | "refused">({
  id: "sandbox.user_namespaces",
  title: "Sandbox: user namespaces",
  run: async (surroundings) => {
    if (!isLinux) return elsewhere;
    const answer = await programAnswer(surroundings, ["unshare", "--user", "--map-root-user", "true"]);
    return answer === undefined
      ? {
          health: "limited",
          found: "this user may not make one",
          why: "a sandbox gets no root of its own",
          cause: "refused",
        }
      : { health: "works", found: "this user may make one" };
  },
  remedy: (cause) =>
    cause === "refused" ? "sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000" : null,
});

export const checkOverlay: DoctorCheck = doctorCheck<"elsewhere" | "refused">({
  id: "sandbox.overlay",
  title: "Sandbox: overlay",
  run: async (surroundings) => {
    if (!isLinux) return elsewhere;
    return withScratchFolder(tmpdir(), async (folder) => {
      for (const name of ["lower", "upper", "work", "mount"]) await mkdir(join(folder, name));
      await writeFile(join(folder, "lower", "seen"), "");
      const script =
        "mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work,userxattr mount && test -e mount/seen";
      const tried = await programAnswer(
        surroundings,
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script],
        folder,
      );
      return tried === undefined
        ? {
            health: "limited",
            found: "cannot be mounted by this user",
            why: "the writes of a turn are copied instead of layered, which is slower",
            cause: "refused",
          }
        : { health: "works", found: "can be mounted by this user" };
    });
  },
  remedy: () => null,
});

// landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION): the call has the same number on every architecture,
// and Node cannot make it by itself.
const landlockCalls = [
  ["perl", "-e", "print syscall(444, 0, 0, 1)"],
  ["python3", "-c", "import ctypes; print(ctypes.CDLL(None).syscall(444, None, 0, 1))"],
] as const;

export const checkLandlock: DoctorCheck = doctorCheck<"elsewhere" | "off" | "unknown">({
  id: "sandbox.landlock",
  title: "Sandbox: Landlock",
  run: async (surroundings) => {
    if (!isLinux) return elsewhere;
    for (const call of landlockCalls) {
      const version = Number((await programAnswer(surroundings, call)) || "NaN");
      if (Number.isNaN(version)) continue;
      return version > 0
        ? { health: "works", found: `version ${version} of its interface` }
        : {
            health: "limited",
            found: "off in this kernel",
            why: "the sandbox has one layer less",
            cause: "off",
          };
    }
    return {
      health: "limited",
      found: "cannot tell: neither perl nor python3 is here to ask the kernel",
      why: "the sandbox may have one layer less",
      cause: "unknown",
    };
  },
  remedy: (cause) =>
    ({
      elsewhere: null,
      off: "add landlock to the kernel's lsm= boot parameter",
      unknown: "apt-get install perl-base",
    })[cause],
});

/** What the machine offers for a sandbox, strongest first in what a turn needs. */
export const sandboxChecks: readonly DoctorCheck[] = [
  checkBubblewrap,
  checkUserNamespaces,
  checkOverlay,
  checkLandlock,
];
