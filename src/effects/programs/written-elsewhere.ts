import { isAbsolute, resolve } from "node:path";
import type { ProgramRights } from "#core/machine";
import type { WritConfig } from "#workspace";

/**
 * Folders and files outside the workspace that some program of the configuration may write: what an agent has a server write there
 * is no more a person's than what it writes itself.
 */
export function writtenElsewhere({ hooks, secrets, mcp, modules }: WritConfig, root: string): readonly string[] {
  const { rights, disable: _, read_claude_settings: __, ...points } = hooks;
  const entries = Object.values(points).flatMap((groups) => groups.flatMap((group) => group.hooks));
  const named = [...entries, ...Object.values(secrets), ...Object.values(mcp.servers), ...Object.values(modules)];
  const all: readonly (ProgramRights | undefined)[] = [rights, ...named.map((each) => each.rights)];
  const paths = all.flatMap((each) => each?.write ?? []).filter((path) => isAbsolute(path) || path.startsWith("../"));
  return paths.map((path) => resolve(root, path)).filter((path) => path !== root && !path.startsWith(`${root}/`));
}

/** Whether one holds the other, or they are the same. */
export function overlaps(one: string, other: string): boolean {
  const [a, b] = [`${plain(one)}/`, `${plain(other)}/`];
  return a.startsWith(b) || b.startsWith(a);
}

function plain(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, "") : "";
}
