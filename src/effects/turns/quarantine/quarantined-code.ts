import { type NamedFiles, noNamedFiles } from "#governance";
import { codeThatRuns } from "#governance/mandate";
import type { Quarantined } from "./quarantine.ts";

/** A quarantined write that runs by itself, or instructs other agents, once it is in the workspace. */
export interface QuarantinedCode {
  readonly path: string;
  readonly why: string;
  /** The order named it, so that a release lands it like any other file. */
  readonly granted: boolean;
}

/** Why a path is code that runs, by the names that are so everywhere and by those of the workspace's configuration. */
export function whyCode(path: string, named: NamedFiles = noNamedFiles): string | undefined {
  return codeThatRuns(path)?.why ?? named.whyCode(path);
}

/** The code that runs among quarantined writes. An order that was set aside whole wrote only what it was granted. */
export function quarantinedCode(about: Quarantined, named?: NamedFiles): readonly QuarantinedCode[] {
  const granted = new Set(about.code_granted ?? []);
  return about.writes.flatMap(({ path, kind }) => {
    if (kind === "folder") return []; // what lies in it is judged
    const why = whyCode(path, named);
    return why === undefined ? [] : [{ path, why, granted: about.work_order_id !== undefined || granted.has(path) }];
  });
}
