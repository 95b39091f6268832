import { isAbsolute, join } from "node:path";
import { domainError } from "#core/errors";
import { err, type Files, isJsonObject, ok, parseJson, type Result } from "#core/values";
import type { WritConfig } from "../config/writ-config.ts";
import type { McpOAuth } from "./oauth.ts";
import { readOAuth } from "./read-oauth.ts";
import type { McpServerSpec } from "./server-spec.ts";

type Declared = NonNullable<WritConfig["mcp"]["servers"]>[string];

const file = ".mcp.json";
const nameShape = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;
const startTimeoutMs = 30_000;

export interface ServerSources {
  readonly root: string;
  readonly files: Files;
  readonly config: WritConfig["mcp"];
  /** First parts of names that Writ's own tools bear. A server of that name would come under their grants. */
  readonly reserved: readonly string[];
}

/** The MCP servers that a workspace declares: those of `writ.yaml`, and where it says so, those of an existing `.mcp.json`. */
export async function declaredServers(sources: ServerSources): Promise<Result<readonly McpServerSpec[]>> {
  const found = new Map<string, McpServerSpec>();
  const others: Result<Record<string, Declared>> = sources.config.read_mcp_json ? await readMcpJson(sources) : ok({});
  if (!others.ok) return others;
  // An entry with rights alone is about a server that `.mcp.json` declares.
  const rightsAlone = ([name, { command, url, rights }]: [string, Declared]) =>
    rights !== undefined && command === undefined && url === undefined && Object.hasOwn(others.value, name);
  const own = Object.entries(sources.config.servers);
  const rightsOf = new Map(own.filter(rightsAlone).map(([name, { rights }]) => [name, rights]));
  const declared: readonly (readonly [string, Declared, string])[] = [
    ...Object.entries(others.value).map(([name, server]) => {
      const rights = rightsOf.get(name);
      return [name, rights ? { ...server, rights } : server, file] as const;
    }),
    ...own.filter(([name]) => !rightsOf.has(name)).map(([name, server]) => [name, server, "writ.yaml"] as const),
  ];
  for (const [name, server, declaredIn] of declared) {
    const spec = specOf(name, server, declaredIn, sources);
    if (!spec.ok) return spec;
    found.set(name, spec.value);
  }
  const names = new Map<string, string>();
  for (const name of found.keys()) {
    const alike = name.toLowerCase().replaceAll("-", "_");
    const rival = names.get(alike);
    if (rival !== undefined) return invalid(name, `cannot stand beside "${rival}": their tools would look alike`);
    names.set(alike, name);
  }
  return ok([...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
}

function specOf(name: string, server: Declared, declaredIn: string, sources: ServerSources): Result<McpServerSpec> {
  if (!nameShape.test(name)) return invalid(name, `is no name for a server: letters, digits, "_" and "-", at most 32`);
  if (sources.reserved.some((taken) => taken.toLowerCase() === name.toLowerCase()))
    return invalid(name, "bears the name of tools that Writ ships; give it another one");
  const { command, url } = server;
  if ((command === undefined) === (url === undefined))
    return invalid(name, "needs either a command (stdio) or a url (HTTP), and not both");
  if (command === undefined && server.rights !== undefined)
    return invalid(name, "has rights, which are for servers that are programs");
  const oauth = oauthOf(name, server);
  if (!oauth.ok) return oauth;
  const { timeout_seconds, start_timeout_seconds, max_output_bytes, recheck_seconds, cwd = "." } = server;
  const { log_level = "warning" } = server;
  return ok({
    name,
    declaredIn,
    transport:
      command === undefined
        ? {
            kind: "http",
            url: url ?? "",
            headers: server.headers ?? {},
            ...(oauth.value ? { oauth: oauth.value } : {}),
          }
        : {
            kind: "stdio",
            command,
            args: server.args ?? [],
            env: server.env ?? {},
            cwd: isAbsolute(cwd) ? cwd : join(sources.root, cwd),
          },
    ...(command === undefined
      ? {}
      : {
          program: {
            where: declaredIn === file ? `${file}, ${name}` : `mcp.servers.${name}`,
            words: [command, ...(server.args ?? [])],
            cwd: isAbsolute(cwd) ? cwd : join(sources.root, cwd),
            rights: server.rights ?? {},
          },
        }),
    startTimeoutMs: start_timeout_seconds === undefined ? startTimeoutMs : start_timeout_seconds * 1000,
    logLevel: log_level,
    recheckMs: (recheck_seconds ?? 0) * 1000,
    ...(timeout_seconds === undefined ? {} : { timeoutMs: timeout_seconds * 1000 }),
    ...(max_output_bytes === undefined ? {} : { maxOutputBytes: max_output_bytes }),
  });
}

function oauthOf(name: string, { oauth, url, headers = {} }: Declared): Result<McpOAuth | undefined> {
  if (!oauth) return ok(undefined);
  if (url === undefined) return invalid(name, "has oauth, which is for servers over HTTP");
  if (Object.keys(headers).some((header) => header.toLowerCase() === "authorization"))
    return invalid(name, "has both oauth and an authorization header; only one of them can be sent");
  const read = readOAuth(oauth);
  return "fault" in read ? invalid(name, read.fault) : ok(read);
}

/** A file of other programs: what it says beyond our needs is not our concern, what we need must be sound. */
async function readMcpJson({ root, files }: ServerSources): Promise<Result<Record<string, Declared>>> {
  const text = await files.readText(join(root, file));
  if (!text.ok) return text.error.code === "NOT_FOUND" ? ok({}) : text;
  const read = parseJson(text.value);
  if (!read.ok) return broken(read.error.message);
  const servers = isJsonObject(read.value) ? read.value["mcpServers"] : undefined;
  if (!isJsonObject(servers)) return broken('it has no "mcpServers"');
  const declared: [string, Declared][] = [];
  for (const [name, server] of Object.entries(servers)) {
    const one = readEntry(server);
    if (typeof one === "string") return broken(`the server "${name}" ${one}`);
    declared.push([name, one]);
  }
  return ok(Object.fromEntries(declared));
}

function readEntry(server: unknown): Declared | string {
  if (!isJsonObject(server)) return "is no object";
  const { type, command, args, env, cwd, url, headers } = server;
  if (type === "sse") return "uses the SSE transport of 2024, which Writ does not speak; most servers also serve HTTP";
  if (command !== undefined && typeof command !== "string") return "has a command that is no text";
  if (url !== undefined && (typeof url !== "string" || !/^(https?:\/\/|\$\{)/.test(url)))
    return "has a url that is no http address";
  if (cwd !== undefined && typeof cwd !== "string") return "has a cwd that is no text";
  if (args !== undefined && !(Array.isArray(args) && args.every((each) => typeof each === "string")))
    return "has args that are no list of texts";
  if (env !== undefined && !isTexts(env)) return "has an env that is no map of texts";
  if (headers !== undefined && !isTexts(headers)) return "has headers that are no map of texts";
  return {
    ...(command === undefined ? {} : { command }),
    ...(args === undefined ? {} : { args: args }),
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(url === undefined ? {} : { url }),
    ...(headers === undefined ? {} : { headers }),
  };
}

function isTexts(value: unknown): value is Record<string, string> {
  return isJsonObject(value) && Object.values(value).every((each) => typeof each === "string");
}

function broken(why: string): Result<never> {
  return err(
    domainError("CONFIG_INVALID", `${file}: ${why}`, {
      details: { where: file, hint: "mend it, or set mcp.read_mcp_json to false" },
    }),
  );
}

function invalid(name: string, why: string): Result<never> {
  return err(
    domainError("CONFIG_INVALID", `the MCP server "${name}" ${why}`, { details: { where: `mcp.servers.${name}` } }),
  );
}
