import { resolve } from "node:path";
import type { Act, Mandate, ReadableSet } from "#governance/mandate";
import { readableSet } from "#governance/mandate";
import type { McpServerSpec } from "#workspace";
import { workspacePatterns } from "../programs/program-binds.ts";

/** Patterns of the workspace that the program of a server sees. */
export function seenBy({ program }: McpServerSpec, root: string): readonly string[] {
  const { read = [], live = [], write = [] } = program?.rights ?? {};
  return workspacePatterns(root, [...read, ...live, ...write]);
}

export function writesInWorkspace({ program }: McpServerSpec, root: string): boolean {
  const places = (program?.rights.write ?? []).map((path) => resolve(root, path));
  return places.some((path) => path === root || path.startsWith(`${root}/`));
}

/** Whether an order may read all that these patterns name. If not, it needs a process that does not see the rest. */
export function mayReadAll(mandate: Pick<Mandate, "readsBelow">, patterns: readonly string[]): boolean {
  return patterns.every((pattern) => mandate.readsBelow(folderBefore(pattern)) === "all");
}

/** The part of a pattern before its first wildcard. */
function folderBefore(pattern: string): string {
  const parts = pattern.split("/");
  const wild = parts.findIndex((part) => /[*?[{!]/.test(part));
  return (wild < 0 ? parts : parts.slice(0, wild)).filter((part) => part !== "" && part !== ".").join("/");
}

/** What the program could see while it worked for an order, without looking at a file. */
export function visibleTo({ document }: Pick<Mandate, "document">, patterns: readonly string[]): ReadableSet {
  const own = { document: "server", lists: [{ path: "rights", patterns: [...patterns] }] };
  return readableSet({ ...document, read: [...document.read, own] });
}

/** The hosts that a call leads to, which the mandate is asked about: where an order names hosts, a server reaches no others. */
export function hostsOf({ transport, program }: McpServerSpec): readonly Act[] {
  const hosts =
    transport.kind === "http" ? [hostOf(transport.url)] : program?.rights.tier === "T1" ? ["*"] : program?.rights.hosts;
  return (hosts ?? []).map((host) => ({ kind: "host", host }));
}

/** As orders name hosts: with a port unless it is 443 or 80. An address that stands in a secret is every host. */
function hostOf(url: string): string {
  if (!URL.canParse(url)) return "*";
  const { hostname, port } = new URL(url);
  return port === "" || port === "443" || port === "80" ? hostname : `${hostname}:${port}`;
}
