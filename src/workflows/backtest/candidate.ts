import { isAbsolute, join, relative } from "node:path";
import { parseYaml, type SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { nodeFiles, type Programs } from "#core/machine";
import { type Clock, err, isJsonObject, ok, type Result, suggest } from "#core/values";
import { type HookHandler, hookPoints, workspaceHooks } from "#governance";
import type { Environment, WritConfig } from "#workspace";
import { type Policy } from "../definitions/cycle.ts";
import { type Workflows } from "../definitions/registry.ts";
import { readCandidate } from "./read-candidate.ts";

/** A policy or hooks to evaluate over recorded sessions. */
export type Candidate =
  | { readonly kind: "policy"; readonly policy: Policy }
  | {
      readonly kind: "hook";
      readonly handlers: readonly HookHandler[];
      /** The hooks in force, in the order in which they are asked. */
      readonly inForce: readonly HookHandler[];
      close(): Promise<void>;
    };

export interface CandidateSources {
  readonly root: string;
  readonly env: Environment;
  readonly config: WritConfig;
  readonly programs: Programs;
  readonly clock: Clock;
  readonly schemas: SchemaRegistry;
  readonly workflows: Workflows;
  readonly redact: (text: string) => string;
}

/** How the caller names a candidate. */
export interface CandidateName {
  /** The id of a policy or a hook in force, or a file: a policy (.md), a hook section (.yaml), a hook module or program. */
  readonly name: string;
  /** Folder that relative paths start from. */
  readonly cwd: string;
  /** Hook point of a module or program that writ.yaml does not name. */
  readonly at?: string;
  readonly matcher?: string;
  /** The hook that it replaces, where that has another name. */
  readonly replaces?: string;
}

export async function findCandidate(sources: CandidateSources, wanted: CandidateName): Promise<Result<Candidate>> {
  const { name, cwd } = wanted;
  if (name.endsWith(".md")) return policyOfFile(sources, isAbsolute(name) ? name : join(cwd, name));
  if (/\.ya?ml$/.test(name)) {
    const hooks = await hooksOfFile(sources, isAbsolute(name) ? name : join(cwd, name));
    return hooks.ok ? inPlaceOf(hooks.value, wanted.replaces) : hooks;
  }
  const policy = await policyOfId(sources, name);
  if (policy) return policy;
  const hook = await hookOf(sources, wanted);
  return hook.ok ? inPlaceOf(hook.value, wanted.replaces) : hook;
}

function inPlaceOf(candidate: Candidate, id: string | undefined): Result<Candidate> {
  if (candidate.kind === "policy" || id === undefined) return ok(candidate);
  return ok({ ...candidate, handlers: candidate.handlers.map((handler) => ({ ...handler, id })) });
}

/** A policy from its text, such as a draft that a person is still writing. */
export async function candidateOfText(
  sources: CandidateSources,
  text: string,
  file: string,
): Promise<Result<Candidate>> {
  const inspected = await sources.workflows.inspect();
  if (!inspected.ok) return inspected;
  const policy = readCandidate(text, file, inspected.value, sources.schemas);
  return policy.ok ? ok({ kind: "policy", policy: policy.value }) : policy;
}

async function policyOfFile(sources: CandidateSources, path: string): Promise<Result<Candidate>> {
  const text = await nodeFiles.readText(path);
  if (!text.ok) return text;
  const inside = relative(sources.root, path);
  return candidateOfText(sources, text.value, inside.startsWith("..") ? path : inside);
}

async function policyOfId(sources: CandidateSources, id: string): Promise<Result<Candidate> | undefined> {
  const inspected = await sources.workflows.inspect();
  if (!inspected.ok) return inspected;
  const found = inspected.value.definitions.filter((each) => each.axis === "policy" && each.id === id);
  // The workspace's own first: a shadow policy of the workspace is a draft, and the caller wants to test that.
  const definition = found.find(({ origin }) => origin === "workspace") ?? found[0];
  return definition && candidateOfText(sources, definition.text, definition.file);
}

/** A file with a `hooks` section as writ.yaml has it, or with the points alone. */
async function hooksOfFile(sources: CandidateSources, path: string): Promise<Result<Candidate>> {
  const text = await nodeFiles.readText(path);
  if (!text.ok) return text;
  const document = parseYaml(text.value);
  if (!document.ok) return document;
  const section = isJsonObject(document.value) && "hooks" in document.value ? document.value["hooks"] : document.value;
  return hooksOf(sources, section, () => true);
}

async function hookOf(
  sources: CandidateSources,
  { name, cwd, at, matcher }: CandidateName,
): Promise<Result<Candidate>> {
  const path = relative(sources.root, isAbsolute(name) ? name : join(cwd, name));
  const isFile = (await nodeFiles.stat(join(sources.root, path))).ok && /[./]/.test(name);
  const registered = await hooksOf(
    sources,
    sources.config.hooks,
    ({ id, source }) => id === name || (isFile && source.split(/\s+/).some((word) => word.endsWith(path))),
    true,
  );
  if (!registered.ok) return registered;
  if (registered.value.kind === "hook" && registered.value.handlers.length > 0) return registered;
  if (registered.value.kind === "hook") await registered.value.close();
  if (!isFile) return err(unknown(name, registered.value.kind === "hook" ? registered.value.inForce : []));
  const point = hookPoints.find((each) => each === at);
  if (!point)
    return err(
      domainError(
        "MALFORMED_INPUT",
        at === undefined
          ? `writ.yaml names no hook ${path}, so say where it is asked: --at PreToolUse`
          : `there is no hook point ${JSON.stringify(at)}`,
        { details: { hint: `the points are ${hookPoints.join(", ")}` } },
      ),
    );
  const entry = /\.[cm]?[jt]s$/.test(path) ? { type: "module", module: path } : { type: "command", command: path };
  const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [entry] };
  return hooksOf(sources, { [point]: [group] }, () => true);
}

/** Handlers of a hook section; shipped ones only where they are asked for. */
async function hooksOf(
  sources: CandidateSources,
  section: unknown,
  wanted: (handler: HookHandler) => boolean,
  withShipped = false,
): Promise<Result<Candidate>> {
  const { root, env, programs, clock, schemas, redact, config } = sources;
  const common = { root, env, programs, clock, schemas, redact };
  const inForce = await workspaceHooks({ ...common, config });
  if (!inForce.ok) return inForce;
  const loaded = await workspaceHooks({ ...common, config: { ...config, hooks: section as WritConfig["hooks"] } });
  if (!loaded.ok) {
    await inForce.value.close();
    return loaded;
  }
  return ok({
    kind: "hook",
    handlers: loaded.value.handlers.filter((each) => (withShipped || !each.shipped) && wanted(each)),
    inForce: inForce.value.handlers.toSorted((a, b) => b.priority - a.priority),
    async close() {
      await inForce.value.close();
      await loaded.value.close();
    },
  });
}

function unknown(name: string, hooks: readonly { readonly id: string }[]) {
  const ids = [...new Set(hooks.map(({ id }) => id))];
  const meant = suggest(name, ids);
  return domainError(
    "NOT_FOUND",
    `no policy and no hook is called ${JSON.stringify(name)}${meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`}`,
    {
      details: {
        hint: "name a policy (`writ policy list`), a hook (`writ hook list`), or a file: a policy.md, a hooks.yaml, a program or module under hooks/",
      },
    },
  );
}
