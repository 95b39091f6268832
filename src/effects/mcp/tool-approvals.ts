import type { SchemaRegistry } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import {
  type Clock,
  canonicalJson,
  err,
  isoTime,
  type JsonObject,
  ok,
  parseJson,
  type Result,
  sha256,
} from "#core/values";
import type { EventLog } from "#log";
import { recordAct } from "#log";
import { launchOf, launchText } from "#workspace";
import { createToolRegistry, type ToolRegistry } from "../tools/registry.ts";
import { declaredMember, declaredValues, type ToolValues, withDeclared } from "./declared-values.ts";
import { differences, type FieldDifference } from "./difference.ts";
import { type McpServer } from "./mcp-server.ts";
import { mcpTool } from "./mcp-tool.ts";
import { type JudgedTool, judgeOffer, type ToolPin } from "./pin.ts";
import type { ToolPinStore } from "./store/tool-pin-store.ts";
import { mcpToolName } from "./tool-name.ts";
import type { WorkspaceMcp } from "./workspace-mcp.ts";

/** Tools that MCP servers offer, compared with the tools that a person approved. */
export interface ToolApprovals {
  readonly servers: readonly string[];
  /** Starts the named servers, or all of them, and reads what they offer. */
  survey(signal: AbortSignal, servers?: readonly string[]): Promise<readonly ServerSurvey[]>;
  /** Approves exactly the surveyed definitions, and revokes the approval of tools that have vanished. `by`: the local caller by default. */
  approve(tools: readonly SurveyedTool[], by?: string): Promise<Result<void>>;
  /** The approved hash of a tool, also when another process approved it; makes no request to a server. */
  approvedHash(server: string, name: string): Promise<Result<string | undefined>>;
  /** Revokes the approvals of a server, or of one of its tools; makes no request to a server. Returns the names. */
  revoke(wanted: string, reason: string): Promise<Result<readonly string[]>>;
  /** Has a person log in to a server; `show` gets the address for their browser. */
  logIn(server: string, show: (url: string) => void, signal: AbortSignal): Promise<Result<void>>;
}

export interface ServerSurvey {
  readonly server: string;
  readonly declaredIn: string;
  readonly launch: JsonObject;
  /** Why the server could not be reached. */
  readonly error?: DomainError;
  readonly tools: readonly SurveyedTool[];
  readonly unusable: readonly { readonly tool: string; readonly why: string }[];
}

export interface SurveyedTool extends JudgedTool {
  readonly server: string;
  readonly name: string;
  readonly differences: readonly FieldDifference[];
  /** What a person declares of its values; absent: as it was declared before. */
  readonly declared?: ToolValues;
  /** Why it cannot be approved. */
  readonly problem?: DomainError;
  readonly launch: string;
}

export interface ApprovalSources {
  readonly mcp: WorkspaceMcp;
  readonly tools: ToolRegistry;
  readonly schemas: SchemaRegistry;
  readonly log: EventLog;
  readonly store: ToolPinStore;
  readonly clock: Clock;
  /** Who approves. */
  readonly by: string;
}

export function createApprovals(sources: ApprovalSources): ToolApprovals {
  const { mcp } = sources;
  return {
    servers: mcp.servers.map(({ spec }) => spec.name),
    async survey(signal, wanted) {
      await mcp.adopt(); // decisions of other processes since; where the store does not answer, those that this process knows
      return Promise.all(
        mcp.servers
          .filter(({ spec }) => wanted === undefined || wanted.includes(spec.name))
          .map((server) => surveyServer(server, sources, signal)),
      );
    },
    approve: (tools, by = sources.by) => approve(tools, { ...sources, by }),
    async approvedHash(server, name) {
      const pins = await sources.store.toolPins();
      return pins.ok ? ok(pins.value.find((pin) => pin.server === server && pin.name === name)?.hash) : pins;
    },
    revoke: (wanted, reason) => revoke(wanted, reason, sources),
    logIn: (server, show, signal) => logIn(server, { show, signal }, sources),
  };
}

/** Removes the approval first and records it afterwards: a revocation must not wait for the log. */
async function revoke(
  wanted: string,
  reason: string,
  { store, log, by }: ApprovalSources,
): Promise<Result<readonly string[]>> {
  const pins = await store.toolPins();
  if (!pins.ok) return pins;
  const meant = pins.value.filter(
    ({ server, tool, name }) => wanted === server || wanted === name || wanted === `${server}.${tool}`,
  );
  if (meant.length === 0)
    return err(
      domainError("NOT_FOUND", `nothing called "${wanted}" is approved`, { details: { hint: "writ tool list" } }),
    );
  const dropped = await store.changeToolPins({ put: [], drop: meant.map(({ server, tool }) => ({ server, tool })) });
  if (!dropped.ok) return dropped;
  const recorded = await recordAct(
    log,
    { name: "tool-approval", actor: by },
    meant.map(({ server, tool, name, hash }) => ({
      type: "tool.withdrawn" as const,
      actor: by,
      payload: { server, tool, name, hash, withdrawn_by: by, reason: reason.slice(0, 256) },
    })),
  );
  return recorded.ok ? ok(meant.map(({ name }) => name)) : recorded;
}

async function logIn(
  server: string,
  options: { readonly show: (url: string) => void; readonly signal: AbortSignal },
  { mcp, log, by }: ApprovalSources,
): Promise<Result<void>> {
  const spec = mcp.servers.find((each) => each.spec.name === server)?.spec;
  if (spec?.transport.kind !== "http")
    return err(domainError("NOT_FOUND", `there is no MCP server "${server}" over HTTP in this workspace`));
  const loggedIn = await mcp.logIn(spec, options);
  if (!loggedIn.ok) return loggedIn;
  const { url, oauth } = spec.transport;
  const scope = oauth?.scope === undefined ? {} : { scope: oauth.scope };
  return recordAct(log, { name: "mcp-login", actor: by }, [
    { type: "mcp.authorized", actor: by, payload: { server, url, ...scope, by } },
  ]);
}

async function surveyServer(server: McpServer, sources: ApprovalSources, signal: AbortSignal): Promise<ServerSurvey> {
  const { name, declaredIn } = server.spec;
  const launch = launchText(server.spec);
  const about = { server: name, declaredIn, launch: launchOf(server.spec) };
  const pins = sources.mcp.pins().filter((pin) => pin.server === name);
  const offer = await server.offer(signal);
  if (!offer.ok) {
    const known = pins.map((pin) => pinnedOnly(pin, launch));
    return { ...about, error: offer.error, tools: known, unusable: [] };
  }
  const judged = judgeOffer(offer.value, pins, launch);
  const problems = misfits(judged, server, sources);
  const tools = judged.map((each): SurveyedTool => {
    const problem = problems.get(each.tool);
    return {
      ...each,
      server: name,
      launch,
      name: nameOf(each, name),
      differences: differences(each, launch),
      ...(problem ? { problem } : {}),
    };
  });
  return { ...about, tools, unusable: offer.value.unusable };
}

/** For a server that does not answer: only the approved definition is known. */
function pinnedOnly(pin: ToolPin, launch: string): SurveyedTool {
  const state = pin.launch === launch ? "pinned" : "changed";
  return { tool: pin.tool, state, pin, server: pin.server, name: pin.name, differences: [], launch };
}

/** A registry with every tool except this server's, to find out which names are taken. */
function othersThan(server: string, { tools, schemas }: ApprovalSources): ToolRegistry {
  const registry = createToolRegistry(schemas);
  for (const tool of tools.list().filter((each) => each.origin !== `mcp:${server}`)) registry.register(tool);
  return registry;
}

function nameOf(judged: JudgedTool, server: string): string {
  return judged.pin?.name ?? mcpToolName(server, judged.tool);
}

/**
 * Tools that could not be registered, and why: a name that is taken, a schema that does not compile. An approved tool keeps
 * its name; a later tool with a look-alike name is refused.
 */
function misfits(judged: readonly JudgedTool[], server: McpServer, sources: ApprovalSources): Map<string, DomainError> {
  const { name } = server.spec;
  const taken = othersThan(name, sources);
  const launch = launchText(server.spec);
  const problems = new Map<string, DomainError>();
  for (const each of judged.toSorted((a, b) => Number(b.pin !== undefined) - Number(a.pin !== undefined))) {
    if (!each.offered) continue;
    const pin = pinFor({ server: name, name: nameOf(each, name), launch, offered: each.offered });
    const spec = mcpTool(pin, server, sources.schemas);
    const fits = spec.ok ? taken.register(spec.value) : spec;
    if (!fits.ok) problems.set(each.tool, fits.error);
  }
  return problems;
}

/** What its values are declared to be once it is approved. */
export function declaredOf({ declared, pin }: Pick<SurveyedTool, "declared" | "pin">): ToolValues | undefined {
  return declared ?? (pin && declaredValues(pin.definition));
}

/** Whether there is something to approve: what its server offers, or what is declared of it. */
export function isOpen(tool: SurveyedTool): boolean {
  return tool.problem === undefined && (tool.state !== "pinned" || declaresOther(tool));
}

function declaresOther({ declared, pin }: SurveyedTool): boolean {
  return (
    declared !== undefined && canonicalJson(declared) !== canonicalJson((pin && declaredValues(pin.definition)) ?? {})
  );
}

function pinFor(
  tool: Pick<SurveyedTool, "server" | "name" | "launch" | "declared" | "pin"> & {
    readonly offered: NonNullable<JudgedTool["offered"]>;
  },
): ToolPin {
  const { server, name, launch, offered } = tool;
  const definition = withDeclared(offered.definition, declaredOf(tool));
  const hash = definition === offered.definition ? offered.hash : sha256(canonicalJson(definition));
  return { server, tool: offered.tool, name, hash, launch, definition };
}

/** Each approval is recorded on `hot` before it takes effect. */
async function approve(tools: readonly SurveyedTool[], sources: ApprovalSources): Promise<Result<void>> {
  const { log, store, clock, by, mcp } = sources;
  const wanted = tools.filter(isOpen);
  if (wanted.length === 0) return ok(undefined);
  const recorded = await recordAct(
    log,
    { name: "tool-approval", actor: by },
    wanted.map((tool) => eventOf(tool, by)),
  );
  if (!recorded.ok) return recorded;
  const approved_at = isoTime(clock.now());
  const changed = await store.changeToolPins({
    put: wanted.flatMap(({ offered, ...tool }) => {
      if (!offered) return [];
      const { definition, ...pin } = pinFor({ ...tool, offered });
      return [{ ...pin, definition: canonicalJson(definition), approved_at, approved_by: by }];
    }),
    drop: wanted.filter(({ offered }) => !offered).map(({ server, tool }) => ({ server, tool })),
  });
  return changed.ok ? mcp.adopt() : changed;
}

function eventOf(tool: SurveyedTool, by: string) {
  const { server, name, offered, pin, launch } = tool;
  const common = { server, tool: tool.tool, name };
  if (!offered)
    return {
      type: "tool.withdrawn" as const,
      actor: by,
      payload: { ...common, hash: pin?.hash ?? "", withdrawn_by: by, reason: "the server no longer offers it" },
    };
  const { hash, definition } = pinFor({ ...tool, offered });
  const changed = [...tool.differences.map(({ field }) => field), ...(declaresOther(tool) ? [declaredMember] : [])];
  return {
    type: "tool.approved" as const,
    actor: by,
    payload: {
      ...common,
      hash,
      previous_hash: pin?.hash ?? null,
      changed: changed.map((field) => field.slice(0, 256)),
      definition,
      launch: launchObject(launch),
      approved_by: by,
    },
  };
}

function launchObject(text: string): JsonObject {
  const read = parseJson(text);
  return read.ok ? (read.value as JsonObject) : {};
}
