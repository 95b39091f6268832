import type { AttentionService } from "#agents";
import { rolePromptReader, workspaceSkills } from "#agents";
import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import {
  type Caller,
  type Clock,
  canonicalJson,
  err,
  type Files,
  ok,
  type Result,
  type SessionId,
  sha256,
} from "#core/values";
import type { ContractStore } from "#governance";
import {
  type ContractRoots,
  changedContracts,
  frameworkReader,
  manifestPin,
  pathOf,
  pinnedFiles,
  readManifest,
} from "#governance";
import type { Event, EventLog, SessionLog } from "#log";
import { type Inbox, type Keyring } from "#people";
import { pinnedWorkflows } from "#workflows";
import { type FlowResult } from "../flow/execution-context.ts";
import { type FlowDependencies } from "../flow/flow.ts";
import { pinnedFlowConfig } from "../flow/flow-config.ts";
import { changedCalls, type ToolSources } from "./changed-calls.ts";
import { readEvents } from "./read-events.ts";
import type { Resolution } from "./resolution.ts";
import { resolveInDoubt } from "./resolve-in-doubt.ts";
import { type ResumeOptions, resumeFlow } from "./resume-flow.ts";
import { checkWholeFork } from "./whole-fork.ts";

/** What can be done to a session that exists. */
export interface SessionControl {
  /** Takes a stopped session up and brings it to its end, under the law that it began with. */
  resumeSession(
    session_id: SessionId,
    options?: Omit<ResumeOptions, "by" | "caller" | "parent"> & { readonly by?: string },
  ): Promise<Result<FlowResult>>;
  /** Writes down what a person says became of a call in doubt. */
  resolveCall(
    session_id: SessionId,
    call_id: string,
    resolution: Resolution,
  ): Promise<Result<Event<"effect.resolved">>>;
}

export interface ControlSources extends ContractRoots, ToolSources {
  readonly flow: FlowDependencies;
  readonly log: EventLog;
  /** Settled when the budgets of dead sessions are. */
  readonly ready: () => Promise<Result<void>>;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly contractStore: ContractStore;
  readonly caller: string;
  /** The same person with the rights that the workspace gives them. */
  readonly localCaller: () => Result<Caller>;
  readonly inbox: Inbox;
  /** Who showed an API key when a session began. */
  readonly restoreCaller: Keyring["restoreCaller"];
  /** Attention that reads its templates from this law. */
  readonly attentionUnder: (
    contractFiles: Files,
    resolveFramework: FlowDependencies["resolveFramework"],
  ) => AttentionService;
}

export function sessionControl(sources: ControlSources): SessionControl {
  const { flow, log, caller } = sources;
  return {
    async resumeSession(session_id, options = {}) {
      const events = await readEvents(log, session_id);
      if (!events.ok) return events;
      const [start] = events.value;
      if (start?.type !== "session.start") return err(noFlow(session_id));
      const begun = start.payload;
      if (begun.framework_id === undefined && begun.pinned === undefined) return err(noRequest(session_id, begun));
      const { pinned = {}, framework_id = "" } = begun;
      const holder = await holderOfKey(begun, sources);
      if (!holder.ok) return holder;
      const now = await flow.pinned(framework_id);
      if (!now.ok) return now;
      const isClosed = events.value.some(({ type }) => type === "session.close"); // resumeFlow refuses it
      const whole = isClosed ? ok(undefined) : await checkWholeFork(log, session_id, events.value);
      if (!whole.ok) return whole;
      const changed = isClosed
        ? undefined
        : (changedContracts(pinned, now.value) ?? (await changedCalls(events.value, sources, options.signal)));
      if (changed) return err(changed);
      const deps = await depsUnder(sources, pinned);
      if (!deps.ok) return deps;
      const workflows = await workflowsUnder(sources, events.value);
      if (!workflows.ok) return workflows;
      return resumeFlow(
        {
          ...deps.value,
          workflows: workflows.value,
          pinned: async () => ok(pinned),
          log: {
            create: flow.log.create,
            open: (id) => openReady(sources, id),
            read: (id, reading) => log.read(id, reading),
            locate: (id) => log.locate(id),
          },
        },
        { session_id, events: events.value },
        { ...options, by: options.by ?? caller, ...(holder.value ? { caller: holder.value } : {}) },
      );
    },
    async resolveCall(session_id, call_id, resolution) {
      const events = await readEvents(log, session_id);
      if (!events.ok) return events;
      if (!inDoubt(events.value, call_id)) return err(notInDoubt(session_id, call_id, events.value));
      const session = await openReady(sources, session_id);
      if (!session.ok) return session;
      const recorded = await resolveIn(sources, session.value, call_id, resolution);
      const released = await session.value.release();
      return released.ok ? recorded : released;
    },
  };
}

/** A resolution that the session holds is final: the same again changes nothing, another one is refused. */
async function resolveIn(
  sources: ControlSources,
  session: SessionLog,
  call_id: string,
  resolution: Resolution,
): Promise<Result<Event<"effect.resolved">>> {
  const { session_id } = session;
  const events = await readEvents(sources.log, session_id); // read while the session is held: it may have been resolved or resumed before
  if (!events.ok) return events;
  const invoke = inDoubt(events.value, call_id);
  if (!invoke) return err(notInDoubt(session_id, call_id, events.value));
  const { name, attempt } = invoke.payload;
  const standing = events.value.findLast(
    (event): event is Event<"effect.resolved"> =>
      event.type === "effect.resolved" && event.seq > invoke.seq && isCall(event, call_id),
  );
  if (standing && !isSaidBy(standing, resolution)) return err(saidOtherwise(session_id, standing));
  return resolveInDoubt(sources, { session_id, call_id, attempt, resolution }, async (resolved, by = sources.caller) =>
    standing
      ? ok(standing)
      : session.append({
          type: "effect.resolved",
          actor: by,
          parent_id: invoke.id,
          payload: {
            call_id,
            name,
            outcome: resolved.outcome,
            by,
            ...(resolved.outcome === "done" && resolved.result !== undefined
              ? { result: resolved.result, result_hash: sha256(canonicalJson(resolved.result)) }
              : {}),
          },
        }),
  );
}

function isSaidBy({ payload }: Event<"effect.resolved">, resolution: Resolution): boolean {
  if (payload.outcome !== resolution.outcome) return false;
  if (resolution.outcome === "not_done" || resolution.result === undefined) return true;
  return payload.result_hash === sha256(canonicalJson(resolution.result));
}

/** The flow's dependencies with the law read from the bytes that the session began under. Pinned tools are all it is offered. */
export async function depsUnder(
  sources: ControlSources,
  pinned: Readonly<Record<string, string>>,
): Promise<Result<FlowDependencies>> {
  const { flow, contractStore, schemas, clock, root, shipped } = sources;
  const manifest = await readManifest(pinned[manifestPin], contractStore);
  if (!manifest.ok) return manifest;
  const places = Object.entries(manifest.value.files);
  const contractFiles = pinnedFiles(
    new Map(places.map(([place, hash]) => [pathOf(place, sources), hash])),
    contractStore,
  );
  const roots = [root, shipped];
  const resolveFramework = frameworkReader({ roots, files: contractFiles, schemas });
  return ok({
    ...flow,
    config: pinnedFlowConfig(manifest.value),
    skills: workspaceSkills(root, schemas, clock, contractFiles),
    resolveFramework,
    rolePrompt: rolePromptReader(contractFiles, roots),
    attention: sources.attentionUnder(contractFiles, resolveFramework),
    toolOffers: (isAllowed) => flow.toolOffers((name) => pinned[`tool:${name}`] !== undefined && isAllowed(name)),
  });
}

/** A cycle that had begun goes on under its own definitions; one that had not is read as it is now. */
async function workflowsUnder(
  sources: ControlSources,
  events: readonly Event[],
): Promise<Result<FlowDependencies["workflows"]>> {
  const started = events.find((event) => event.type === "workflow.started");
  const hash = started?.payload.cycle_hash;
  return hash === undefined ? ok(sources.flow.workflows) : pinnedWorkflows(hash, sources);
}

async function openReady({ log, ready }: ControlSources, session_id: SessionId) {
  const opened = await log.open(session_id);
  const settled = await ready();
  return settled.ok ? opened : settled;
}

/** A session that began with an API key goes on within that key's scope, and not at all once it is revoked. */
async function holderOfKey(
  { caller_id, key_id }: Event<"session.start">["payload"],
  { restoreCaller }: ControlSources,
): Promise<Result<Caller | undefined>> {
  return caller_id === undefined || key_id === undefined ? ok(undefined) : restoreCaller(caller_id, key_id);
}

/** The call, if its end is not recorded. */
function inDoubt(events: readonly Event[], call_id: string): Event<"tool.invoke"> | undefined {
  if (events.some((event) => event.type === "tool.output" && isCall(event, call_id))) return undefined;
  return events.findLast(
    (event): event is Event<"tool.invoke"> => event.type === "tool.invoke" && isCall(event, call_id),
  );
}

function isCall(event: Event, call_id: string): boolean {
  return "call_id" in event.payload && event.payload.call_id === call_id;
}

/** Acts of people and refused orders have records of their own, which nothing follows from. */
function noRequest(session_id: string, { work_order_id, parent_session_id }: Event<"session.start">["payload"]) {
  const about = parent_session_id == null ? "" : ` about ${parent_session_id}`;
  return domainError(
    "NOT_FOUND",
    `${session_id} is a record of the workspace (${work_order_id})${about}, not a request: there is nothing to go on with`,
    {
      details: {
        session_id,
        hint:
          about === ""
            ? `\`writ session show ${session_id}\` tells what it records`
            : `\`writ session resume ${parent_session_id}\` goes on with the session that it is about`,
      },
    },
  );
}

function noFlow(session_id: string) {
  return domainError("NOT_FOUND", `${session_id} holds no flow that could be resumed`);
}

function saidOtherwise(session_id: string, { payload, seq }: Event<"effect.resolved">) {
  const { call_id, outcome, by } = payload;
  return domainError(
    "WRITE_CONFLICT",
    `${by} said of ${call_id} that it was ${outcome === "done" ? "done" : "not done"} (event ${seq}): a word that was said stands`,
    { retryable: false, details: { session_id, hint: `\`writ session resume ${session_id}\` goes on with it` } },
  );
}

function notInDoubt(session_id: string, call_id: string, events: readonly Event[]) {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === "tool.invoke") open.add(event.payload.call_id);
    if (event.type === "tool.output") open.delete(event.payload.call_id);
  }
  const hint = open.size > 0 ? `these have no recorded end: ${[...open].join(", ")}` : "none of its calls is in doubt";
  return domainError("NOT_FOUND", `${session_id} has no call ${JSON.stringify(call_id)} in doubt`, {
    details: { hint },
  });
}
