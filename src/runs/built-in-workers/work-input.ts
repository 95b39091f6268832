import { domainError } from "#core/errors";
import { err, isJsonObject, type JsonObject, type JsonValue, ok, type Result, type RevisionId } from "#core/values";
import type { Lease } from "../kernel/records.ts";

/** The target of the worker's output: an operation of patch_v1 that lacks only its content. */
export type Target = JsonObject & { readonly op: string };

export interface WorkInput {
  readonly question: string;
  readonly base_revision_id: RevisionId | null;
  readonly target: Target | undefined;
  readonly notes: string | undefined;
  readonly document: string | undefined;
  /** What the work is a part of, in the app's own fields: data for the agent, never an instruction. */
  readonly about: JsonObject | undefined;
  readonly sources: readonly string[];
  readonly tools: readonly string[];
  readonly max_findings: number | undefined;
  /** The skill of the roles; its tools limit those that the item names. */
  readonly skill: string | undefined;
  /** How its order is carried out, in place of plan, work and review; and the framework that brings it. */
  readonly strategy: string | undefined;
  readonly framework: string | undefined;
  readonly raw: JsonObject;
}

/** Parses an item's input. Apps are foreign code: a field of the wrong shape is refused by name. */
export function readWorkInput(lease: Pick<Lease, "objective" | "input">): Result<WorkInput> {
  const raw = lease.input ?? {};
  const wrong = (name: string, expected: string) =>
    err(domainError("MALFORMED_INPUT", `the work item's input.${name} must be ${expected}`, { details: { name } }));
  const target = raw["target"];
  if (target !== undefined && !(isJsonObject(target) && typeof target["op"] === "string"))
    return wrong("target", "an operation of patch_v1 without its content");
  const about = raw["about"];
  if (about !== undefined && !isJsonObject(about)) return wrong("about", "an object");
  const base = raw["base_revision_id"] ?? null;
  if (base !== null && typeof base !== "string") return wrong("base_revision_id", "a revision id or null");
  for (const name of ["question", "notes", "document", "skill", "strategy", "framework"])
    if (raw[name] !== undefined && typeof raw[name] !== "string") return wrong(name, "text");
  for (const name of ["sources", "tools"])
    if (raw[name] !== undefined && !isTexts(raw[name])) return wrong(name, "a list of texts");
  const most = raw["max_findings"];
  if (most !== undefined && !(typeof most === "number" && Number.isInteger(most) && most > 0))
    return wrong("max_findings", "a whole number above 0");
  return ok({
    question: textOf(raw["question"]) ?? lease.objective,
    base_revision_id: base as RevisionId | null,
    target: target as Target | undefined,
    notes: textOf(raw["notes"]),
    document: textOf(raw["document"]),
    about,
    sources: (raw["sources"] ?? []) as readonly string[],
    tools: (raw["tools"] ?? []) as readonly string[],
    max_findings: most,
    skill: textOf(raw["skill"]),
    strategy: textOf(raw["strategy"]),
    framework: textOf(raw["framework"]),
    raw,
  });
}

export function isTexts(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
