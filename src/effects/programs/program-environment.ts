import { dirname } from "node:path";
import type { ProgramSpec } from "#core/machine";
import type { Environment } from "#workspace";
import { gateEnvironment, type Network } from "../sandbox/network-gate/network.ts";
import { searchPath } from "../sandbox/root-view.ts";

// No NODE_OPTIONS, LD_*, BASH_ENV or GIT_*: variables that steer an interpreter are not passed on. No keys either.
const anywhere = ["USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM"];
const outsideOnly = ["PATH", "HOME", "SHELL", "TMPDIR"];

/** What every program in a sandbox finds: the machine's programs and a scratch folder of its own. */
export function environmentInside(options: {
  readonly spec: ProgramSpec;
  readonly network: Network;
  readonly env: Environment;
}): Record<string, string> {
  const [program = ""] = options.spec.words;
  const own = program.startsWith("/") && !/^\/(?:usr|bin|sbin)\//.test(program) ? [dirname(program)] : [];
  return {
    LANG: "C.UTF-8",
    ...pick(options.env, anywhere),
    PATH: [...own, searchPath].join(":"),
    HOME: "/tmp",
    SHELL: "/bin/sh",
    TMPDIR: "/tmp",
    PYTHONDONTWRITEBYTECODE: "1",
    ...(options.network === "hosts" ? gateEnvironment() : {}),
  };
}

/** Without a sandbox: harmless names of the caller's own. */
export function environmentOutside(env: Environment): Record<string, string> {
  return pick(env, [...anywhere, ...outsideOnly]);
}

function pick(env: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
