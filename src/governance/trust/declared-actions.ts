import { relative } from "node:path";
import { shippedRegistry } from "#core/contracts";
import { canonicalJson, ok, type Result, sha256 } from "#core/values";
import { declaredServers, launchOf, type McpServerSpec } from "#workspace";
import { workspaceHooks } from "../hooks/workspace-hooks.ts";
import type { ActSources } from "./act-sources.ts";
import { addressesOf } from "./addresses-of-config.ts";
import type { DeclaredAction } from "./declared-action.ts";
import { filesBelow, filesNamed } from "./hash-files.ts";
import { loweredGuardsOf } from "./weakened-settings.ts";
import { writesOutside } from "./writes-outside.ts";

/**
 * Everything that a workspace's own files would have done here: hooks, programs that print secrets, MCP servers,
 * addresses that get prompts, records or keys, files elsewhere that are written, guards that are lowered. Finding out
 * runs none of it.
 */
export async function actsOfWorkspace(sources: ActSources): Promise<Result<readonly DeclaredAction[]>> {
  const hooks = await hookActs(sources);
  if (!hooks.ok) return hooks;
  const servers = await serverActs(sources);
  if (!servers.ok) return servers;
  return ok([
    ...hooks.value,
    ...(await secretActs(sources)),
    ...servers.value,
    ...addressesOf(sources.config, sources.env),
    ...(await writesOutside(sources)),
    ...loweredGuardsOf(sources.config),
  ]);
}

/** Where hook programs lie, with what they may call without its name standing in the configuration. */
const hookFolders = ["hooks", ".claude/hooks"];

async function hookActs({ root, config, env, clock }: ActSources): Promise<Result<readonly DeclaredAction[]>> {
  const { disable: _, read_claude_settings, ...points } = config.hooks;
  if (!read_claude_settings && Object.keys(points).length === 0) return ok([]);
  const schemas = shippedRegistry();
  const loaded = await workspaceHooks({ root, config: config.hooks, env, clock, schemas, redact: (text) => text });
  if (!loaded.ok) return loaded;
  await loaded.value.close();
  const beside = await filesBelow(root, hookFolders);
  const acts: DeclaredAction[] = [];
  for (const { kind, shipped, point, matcher = "*", source, hash } of loaded.value.handlers) {
    if (shipped) continue;
    const named = await filesNamed(source.split(/[\s"'`;|&()<>]+/), { root });
    acts.push({
      does: "run",
      what: source,
      where: `hooks.${point} about ${matcher}`,
      hash: digestOf({ kind, point, source, hash, named, beside }),
    });
  }
  return ok(acts);
}

async function secretActs({ root, config }: ActSources): Promise<readonly DeclaredAction[]> {
  const acts: DeclaredAction[] = [];
  for (const [name, { command }] of Object.entries(config.secrets)) {
    if (command === undefined) continue;
    const hash = digestOf({ command, named: await filesNamed(command, { root }) });
    acts.push({ does: "run", what: lineOf(command), where: `secrets.${name}`, hash });
  }
  return acts;
}

async function serverActs({ root, config, files }: ActSources): Promise<Result<readonly DeclaredAction[]>> {
  const declared = await declaredServers({ root, files, config: config.mcp, reserved: [] });
  if (!declared.ok) return declared;
  return ok(await Promise.all(declared.value.map((spec) => serverAct(spec, root))));
}

async function serverAct(spec: McpServerSpec, root: string): Promise<DeclaredAction> {
  const { name, declaredIn, transport } = spec;
  const where = declaredIn === "writ.yaml" ? `mcp.servers.${name}` : `${declaredIn}, ${name}`;
  if (transport.kind === "http")
    return { does: "reach", what: transport.url, where, hash: digestOf({ launch: launchOf(spec) }) };
  const words = [transport.command, ...transport.args];
  const named = await filesNamed(words, { root, cwd: transport.cwd });
  const launch = { ...launchOf(spec), cwd: relative(root, transport.cwd) }; // the same wherever it was cloned to
  return { does: "start", what: lineOf(words), where, hash: digestOf({ launch, named }) };
}

function digestOf(decides: object): string {
  return sha256(canonicalJson(decides));
}

/** The words of a command line, so that one with blanks in it does not look like two. */
function lineOf(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}
