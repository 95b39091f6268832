import { matchSkill, type Skills, selectSkill } from "#agents";
import type { WorkOrder } from "#core/contracts";
import { type Clock, dayStamp, type JsonObject, ok, type Result, type WorkOrderId, workOrderId } from "#core/values";
import type { Framework } from "#governance";
import type { WritConfig } from "#workspace";
import type { Attachment } from "./attachments.ts";
import { requestTools } from "./request-tools.ts";
import type { OrderStore } from "./store/order-store.ts";
import { type OrderNumbers, writeOrder } from "./write-order.ts";

/** What a person grants beside the default of the configuration. */
export interface Allowed {
  /** Paths that may be written. */
  readonly allow?: readonly string[];
  /** Files of the class code-that-runs that may be written. */
  readonly allowCode?: readonly string[];
}

export interface OrderInput extends Allowed {
  readonly skill?: string;
  /** The type of the order; without one a single agent does the work, unless its skill asks for more. */
  readonly strategy?: string;
  readonly profile?: string;
  /** The framework that it works under; FMWK-005 without one. */
  readonly framework?: string;
  /** What it is about, beside its words: parameters of prompts and attention paths. */
  readonly input?: NonNullable<WorkOrder["input"]>;
  /** Files that are sent with the words; they are kept already. */
  readonly attachments?: readonly Attachment[];
  /** Tools that it may use, besides those of every request. */
  readonly tools?: readonly string[];
  /** Limits besides those that the configuration gives. */
  readonly budget?: NonNullable<WorkOrder["budget"]>;
}

/** Where the orders of people come from: numbers, and what the configuration grants them. */
interface RequestSources extends OrderNumbers {
  readonly request: WritConfig["request"];
}

/** The work order of a person's request: its words, the tools of its skill, or without one what the workspace's trust grants. */
export async function writeWorkOrder(
  sources: RequestSources & {
    readonly skills: Skills;
    readonly resolveFramework: (framework_id: string) => Promise<Result<Framework>>;
    readonly isTrusted: () => Promise<boolean>;
  },
  prompt: string,
  wanted: OrderInput,
): Promise<Result<WorkOrder>> {
  const discovered = await sources.skills.discover();
  if (!discovered.ok) return discovered;
  const { skills } = discovered.value;
  const match = wanted.skill === undefined ? ok(matchSkill(prompt, skills)) : selectSkill(wanted.skill, skills);
  if (!match.ok) return match;
  const { framework } = wanted;
  const under = framework === undefined ? ok(undefined) : await sources.resolveFramework(framework);
  if (!under.ok) return under;
  const [spec_id] = under.value?.specs ?? [];
  const { selected } = match.value;
  const granted = wanted.tools ?? [];
  const permitted = selected?.limitsTools
    ? { tools: [...selected.allowedTools, ...granted] }
    : requestTools(await sources.isTrusted(), granted);
  const parts = {
    type: wanted.strategy ?? "solo",
    ...scopeOf(sources.request, wanted),
    input: {
      ...wanted.input,
      ...(wanted.attachments === undefined ? {} : { attachments: wanted.attachments.map((each) => ({ ...each })) }),
      prompt,
    },
    ...permitted,
    // A skill that its triggers chose is chosen again in the flow, where the log says which words did it.
    ...(wanted.skill === undefined ? {} : { skill: wanted.skill }),
    ...(wanted.profile === undefined ? {} : { profile: wanted.profile }),
    ...(wanted.budget === undefined ? {} : { budget: wanted.budget }),
    // An agent that was granted this may ask others, which may not ask in turn.
    ...(granted.includes("delegate") ? { delegation: { max_depth: 1 } } : {}),
    ...(framework === undefined ? {} : { framework_id: framework }),
    ...(spec_id === undefined ? {} : { spec_id }),
  };
  return writeOrder(parts, sources);
}

/** A number of the day that no other process has or will get. */
export async function nextOrderId(store: OrderStore, clock: Clock): Promise<Result<WorkOrderId>> {
  const now = clock.now();
  const number = await store.takeWorkOrderNumbers(dayStamp(now), 1);
  return number.ok ? ok(workOrderId(now, number.value)) : number;
}

/** The work order of one tool call that a person makes at the command line: that tool, and the paths they named. */
export function writeToolOrder(
  sources: RequestSources,
  { tool, args, ...wanted }: { readonly tool: string; readonly args: JsonObject } & Allowed,
): Promise<Result<WorkOrder>> {
  const parts = { type: "tool-call", ...scopeOf(sources.request, wanted), input: { tool, args }, tools: [tool] };
  return writeOrder(parts, sources);
}

function scopeOf(
  { allowed_files, code_that_runs, read_files }: WritConfig["request"],
  { allow = [], allowCode = [] }: Allowed,
) {
  return {
    allowedFiles: [...allowed_files, ...allow],
    codeThatRuns: [...code_that_runs, ...allowCode],
    readFiles: read_files,
  };
}
