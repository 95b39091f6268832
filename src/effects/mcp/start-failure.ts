import { statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { type DomainError, domainError } from "#core/errors";
import { homeFolder, type ProgramRights, type ProgramTier } from "#core/machine";
import type { Result } from "#core/values";
import { type UnshownFile, whyUnshown } from "#governance/mandate";
import type { McpServerSpec } from "#workspace";

interface Surroundings {
  /** The workspace. */
  readonly root: string;
  readonly tier: ProgramTier | undefined;
  /** The server failed before it listed its tools. */
  readonly isStart?: boolean;
}

/** The line of `writ.yaml` that grants a server what its sandbox lacks, read from its error; undefined where the error names nothing of the kind. */
export function missingRight(
  spec: McpServerSpec,
  said: string,
  { root, tier, isStart = false }: Surroundings,
): string | undefined {
  if (spec.transport.kind !== "stdio" || tier === undefined || tier === "T1") return undefined;
  const socket = /docker|podman|\.sock\b|X11|dbus/i.test(said);
  if (socket && /cannot connect|no such file|enoent|econnrefused|not found/i.test(said))
    return lineFor(spec, "tier: T1", "it speaks to a program of this machine, and a sandbox shows it none");
  const fetches = /^(?:npx|pnpx|bunx|uvx|pipx|deno)$/.test(basename(spec.transport.command));
  if (isStart && fetches && !spec.program?.rights.hosts?.length)
    return lineFor(spec, "hosts: [HOST]", "it fetches its program from a registry, HOST, and its sandbox reaches none");
  const host = hostIn(said);
  if (host !== undefined) return lineFor(spec, `hosts: [${JSON.stringify(host)}]`, "its sandbox reaches no host");
  const granted = spec.program?.rights ?? {};
  const misses = missesFile.test(said);
  const named = [...pathsIn(said), ...refusedIn(said, spec), ...(isStart && misses ? pathsOf(spec) : [])];
  const paths = [...new Set(named.map((path) => shown(path, root)))].filter((path) => !covers(granted, path, root));
  if (paths.length === 0)
    return isStart && misses
      ? lineFor(spec, "read: […], write: […], hosts: […]", "its sandbox shows its own files and nothing else")
      : undefined;
  return lineFor(spec, `write: ${JSON.stringify(paths)}`, "its sandbox shows its own files and nothing else");
}

/** The line of `writ.yaml` that shows a server what an agent wrote, where its error is about that. */
export function unshownIn(
  { program }: McpServerSpec,
  said: string,
  unshown: readonly UnshownFile[],
): string | undefined {
  const missed = unshown.filter(({ path }) => said.includes(path));
  return program && missed.length > 0 ? whyUnshown(program.where, program.rights, missed) : undefined;
}

/** The sandbox let a server write where it may not, and nothing of it is kept: its caller learns that. */
export function nothingKept(spec: McpServerSpec, lost: readonly string[], answer: Result<unknown>): DomainError {
  const said = answer.ok ? "answered" : `failed (${answer.error.message})`;
  const shown = lost.slice(0, 5).join(", ") + (lost.length > 5 ? `, and ${lost.length - 5} more` : "");
  const line = lineFor(spec, `write: ${JSON.stringify(lost.slice(0, 5))}`, "it has no right to write there");
  return domainError(
    "CAPABILITY_VIOLATION",
    `the MCP server "${spec.name}" ${said}, but changed ${shown} in the workspace, and nothing of that is kept: ${line}`,
    { details: { server: spec.name, paths: lost.slice(0, 100) } },
  );
}

export function notDeclared({ name }: McpServerSpec): DomainError {
  return domainError("CONFIG_INVALID", `the MCP server "${name}" is no program`);
}

function lineFor({ name }: McpServerSpec, rights: string, why: string): string {
  const also = rights.startsWith('write: ["') ? ", or `read` to look only," : "";
  return `${why}; \`rights: { ${rights} }\`${also} under mcp.servers.${name} in writ.yaml gives it that`;
}

const missesFile =
  /no such file|not found|cannot find|can't open|enoent|permission denied|eacces|erofs|read-only file system|eperm|not accessible|are accessible|does not exist/i;

function hostIn(said: string): string | undefined {
  const resolving = /(?:getaddrinfo|queryA\w*) (?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED) ([\w.-]+)/.exec(said)?.[1];
  if (resolving !== undefined) return resolving;
  if (!/network|resolve|enotfound|eai_again|econnrefused|fetch failed|connect/i.test(said)) return undefined;
  const address = /https?:\/\/([\w.-]+)/.exec(said)?.[1];
  return address === undefined || address === "127.0.0.1" ? undefined : address;
}

/** Absolute paths that an error names in quotes. */
function pathsIn(said: string): readonly string[] {
  if (!missesFile.test(said)) return [];
  return [...said.matchAll(/['"`](\/[^'"`\n]+)['"`]/g)].map(([, path = ""]) => path);
}

/** Paths from its own folder that an error names in quotes, where they may not be written. */
function refusedIn(said: string, { transport }: McpServerSpec): readonly string[] {
  if (transport.kind !== "stdio" || !/eacces|erofs|eperm|permission denied|read-only file system/i.test(said))
    return [];
  const quoted = [...said.matchAll(/['"`]((?:\.{0,2}\/)?[\w@+-][\w.@+-]*(?:\/[\w.@+-]+)*)['"`]/g)].map(
    ([, path = ""]) => path,
  );
  return quoted.filter((path) => /[./]/.test(path) && !isAbsolute(path)).map((path) => resolve(transport.cwd, path));
}

/** Paths among its arguments and in its environment that are no file of the program itself. */
function pathsOf({ transport }: McpServerSpec): readonly string[] {
  if (transport.kind !== "stdio") return [];
  const words = [...transport.args.map((word) => word.slice(word.indexOf("=") + 1)), ...Object.values(transport.env)];
  return words
    .filter((word) => isAbsolute(word) || word.startsWith("./") || word.startsWith("../"))
    .map((word) => resolve(transport.cwd, word))
    .filter((path) => !transport.args.includes(path) || !statSync(path, { throwIfNoEntry: false })?.isFile());
}

/** As `writ.yaml` would name it. A program that writes a file elsewhere often writes a temporary file beside it first, so its folder is granted. */
function shown(path: string, root: string): string {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (path !== root && !path.startsWith(`${root}/`))
    return isFolder || shared.has(dirname(path)) ? path : `${dirname(path)}/`;
  const inside = relative(root, path);
  return isFolder ? join(inside, "**") : inside;
}

/** Folders that hold more than one program should write. */
const shared = new Set(["/", "/home", "/tmp", "/var", "/var/tmp", "/etc", homeFolder()]);

function covers({ read = [], live = [], write = [] }: ProgramRights, path: string, root: string): boolean {
  const full = resolve(root, path.replace(/\/\*\*$/, ""));
  return [...read, ...live, ...write].some((right) => {
    const granted = resolve(root, right.replace(/\/?(?:\*\*)?$/, ""));
    return full === granted || full.startsWith(`${granted}/`);
  });
}
