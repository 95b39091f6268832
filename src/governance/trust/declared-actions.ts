import { relative, resolve } from "node:path";
import { shippedRegistry } from "#core/contracts";
import { closureOf, type ProgramRights, programOfModule } from "#core/machine";
import { canonicalJson, ok, type Result, sha256 } from "#core/values";
import { declaredServers, launchOf, type McpServerSpec } from "#workspace";
import { workspaceHooks } from "../hooks/workspace-hooks.ts";
import type { ActSources } from "./act-sources.ts";
import { addressesOf } from "./addresses-of-config.ts";
import type { DeclaredAction } from "./declared-action.ts";
import { filesBelow, filesNamed } from "./hash-files.ts";
import { secretUsesOf } from "./secret-uses.ts";
import { weakenedSettingsOf } from "./weakened-settings.ts";
import { writesOutside } from "./writes-outside.ts";

/**
 * Everything that a workspace's own files would have done here: hooks, programs that print secrets, MCP servers,
 * addresses that get prompts, records or keys, files elsewhere that are written, guards that are lowered. Finding out
 * runs none of it.
 */
export async function declaredActionsOf(sources: ActSources): Promise<Result<readonly DeclaredAction[]>> {
  const hooks = await hookActs(sources);
  if (!hooks.ok) return hooks;
  const secrets = secretActs(sources);
  if (!secrets.ok) return secrets;
  const servers = await serverActs(sources);
  if (!servers.ok) return servers;
  const modules = moduleActs(sources);
  if (!modules.ok) return modules;
  return ok([
    ...hooks.value,
    ...secrets.value,
    ...servers.value,
    ...modules.value,
    ...addressesOf(sources.config, sources.env),
    ...secretUsesOf(sources.config),
    ...(await writesOutside(sources)),
    ...weakenedSettingsOf(sources.config),
  ]);
}

/** Where hook programs lie, with what they may call without its name standing in the configuration. */
const hookFolders = ["hooks", ".claude/hooks"];

async function hookActs({ root, config, env, clock }: ActSources): Promise<Result<readonly DeclaredAction[]>> {
  const { disable: _, rights: __, read_claude_settings, ...points } = config.hooks;
  if (!read_claude_settings && Object.keys(points).length === 0) return ok([]);
  const schemas = shippedRegistry();
  const loaded = await workspaceHooks({ root, env, config, clock, schemas, redact: (text) => text });
  if (!loaded.ok) return loaded;
  await loaded.value.close();
  const beside = await filesBelow(root, hookFolders);
  if (!beside.ok) return beside;
  const acts: DeclaredAction[] = [];
  for (const handler of loaded.value.handlers) {
    const { kind, shipped, point, matcher = "*", source, hash, program, sends = [] } = handler;
    if (shipped) continue;
    const where = `hooks.${point} about ${matcher}`;
    if (kind === "http") {
      const what = `${source}${sends.map((name) => `\nsends $${name}`).join("")}`;
      acts.push({ does: "reach", what, where, hash: digestOf({ kind, point, source, hash }) });
      continue;
    }
    if (kind === "mcp_tool" || kind === "prompt" || kind === "agent") {
      acts.push({ does: "run", what: source, where, hash: digestOf({ kind, point, source, hash }) });
      continue;
    }
    const named = await filesNamed(source.split(/[\s"'`;|&()<>]+/), { root });
    if (!named.ok) return named;
    const closure = program && closureOf({ ...program, root });
    if (closure && !closure.ok) return closure;
    const runs = program && closure ? { rights: program.rights, closure: closure.value.digest } : {};
    acts.push({
      does: "run",
      what: `${source}${rightsIn(program?.rights)}`,
      where,
      hash: digestOf({ kind, point, source, hash, named: named.value, beside: beside.value, ...runs }),
    });
  }
  return ok(acts);
}

function secretActs({ root, config }: ActSources): Result<readonly DeclaredAction[]> {
  const acts: DeclaredAction[] = [];
  for (const [name, { command, rights = {} }] of Object.entries(config.secrets)) {
    if (command === undefined) continue;
    const where = `secrets.${name}`;
    const closure = closureOf({ root, where, words: command, rights });
    if (!closure.ok) return closure;
    const hash = digestOf({ command, closure: closure.value.digest, ...ifAny(rights) });
    acts.push({ does: "run", what: `${lineOf(command)}${rightsIn(rights)}`, where, hash });
  }
  return ok(acts);
}

/** Apps and workers with rights of their own. One without rights is named by the person who starts it, and touches nothing. */
function moduleActs({ root, config }: ActSources): Result<readonly DeclaredAction[]> {
  const acts: DeclaredAction[] = [];
  for (const [name, { rights = {} }] of Object.entries(config.modules)) {
    const where = `modules[${JSON.stringify(name)}]`;
    const closure = closureOf({ root, ...programOfModule({ where, path: resolve(root, name), rights }) });
    if (!closure.ok) return closure;
    const hash = digestOf({ module: name, closure: closure.value.digest, ...ifAny(rights) });
    acts.push({ does: "run", what: `${name}${rightsIn(rights)}`, where, hash });
  }
  return ok(acts);
}

async function serverActs({ root, config, files }: ActSources): Promise<Result<readonly DeclaredAction[]>> {
  const declared = await declaredServers({ root, files, config: config.mcp, reserved: [] });
  if (!declared.ok) return declared;
  const acts: DeclaredAction[] = [];
  for (const spec of declared.value) {
    const act = serverAct(spec, root);
    if (!act.ok) return act;
    acts.push(act.value);
  }
  return ok(acts);
}

function serverAct(spec: McpServerSpec, root: string): Result<DeclaredAction> {
  const { name, declaredIn, transport } = spec;
  const where = declaredIn === "writ.yaml" ? `mcp.servers.${name}` : `${declaredIn}, ${name}`;
  // Without secrets that are written out: an action is shown, and remembered.
  const shown = launchOf(spec) as { readonly url: string; readonly args: readonly string[] };
  if (transport.kind === "http")
    return ok({ does: "reach", what: shown.url, where, hash: digestOf({ launch: shown }) });
  const { rights } = spec.program ?? { rights: {} };
  const words = [transport.command, ...transport.args];
  const closure = closureOf({ root, cwd: transport.cwd, where, words, rights });
  if (!closure.ok) return closure;
  const launch = { ...shown, cwd: relative(root, transport.cwd) }; // the same wherever it was cloned to
  const what = `${lineOf([transport.command, ...shown.args])}${rightsIn(rights)}`;
  return ok({
    does: "start",
    what,
    where,
    hash: digestOf({ launch, closure: closure.value.digest, ...ifAny(rights) }),
  });
}

/** Without rights the hash is what it was before there were any: what was agreed to then still is. */
function ifAny(rights: ProgramRights): object {
  return Object.keys(rights).length === 0 ? {} : { rights };
}

/** What a program may touch beside its own files is shown below it. */
function rightsIn(rights: ProgramRights = {}): string {
  return Object.entries(rights)
    .map(([right, of]) => `\n${right} ${typeof of === "string" ? of : of.join(", ")}`)
    .join("");
}

function digestOf(decides: object): string {
  return sha256(canonicalJson(decides));
}

/** The words of a command line, so that one with blanks in it does not look like two. */
function lineOf(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}
