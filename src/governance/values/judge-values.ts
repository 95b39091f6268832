import type { JsonObject } from "#core/values";
import { destroys, saysToTakeAway, staysInWorkspace, type ToolDeclaration, takesAway } from "./declarations.ts";
import { findOrigins } from "./find-origins.ts";
import type { Origin } from "./origin.ts";
import { leadsHere } from "./reach-in-text.ts";
import type { RuleDecision, ValueRules, ValueVerdict } from "./rules.ts";
import { mostValues, type Placed, placeLinks, placeValues } from "./sinks-of-call.ts";
import type { ValueIndex } from "./value-index.ts";
import { folded, standsIn, wordsOf } from "./words.ts";

/** A value as it is recorded: by reference, never as a copy. */
export interface ValueLabel {
  readonly at: string;
  readonly span?: readonly [number, number];
  readonly sink: Placed["sink"] | "secret.in_content" | "overflow";
  readonly kind?: string;
  readonly from: readonly Origin[];
  /** Where each origin was found: a call of the session, the order's words, a message. */
  readonly ref?: readonly string[];
}

/** A call that is about to happen. */
export interface JudgedCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly annotations: ToolNature;
}

/** What is known of a tool whose call is judged. */
export interface ToolNature {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  /** It runs in the sandbox, out of which it reaches no host. */
  readonly confined?: boolean;
}

/** What the rules say of a call and of each of its values. */
export interface ValueJudgement {
  readonly values: readonly ValueLabel[];
  readonly verdict: ValueVerdict;
  readonly reason: string;
  readonly rule?: string;
  readonly rules_hash: string;
  /** What packs that only watch would have decided. */
  readonly shadow?: readonly ShadowVerdict[];
  /** What was not simply allowed, and why: the worst first. */
  readonly doubts: readonly ValueDoubt[];
}

/** Why a call is asked about or refused. */
export interface ValueDoubt {
  readonly verdict: Exclude<ValueVerdict, "allow">;
  readonly reason: string;
  /** Where people read the rule that decided. */
  readonly cite: string;
  /** The value; absent where it is the act itself. */
  readonly label?: ValueLabel;
  readonly value?: string;
}

/** Whether the rules are asked about a call: it acts, or is a reading that reaches out, in a session whose values are judged. */
export function isJudged(call: JudgedCall, index: ValueIndex): boolean {
  if (index.rights === undefined) return false;
  if (!isReading(call, index)) return true;
  // Writ's own readings reach no further than the workspace and its people, whatever link stands in a question.
  return !staysInWorkspace(call.tool) && placeLinks(call.args).values.length > 0;
}

function isReading({ tool, annotations }: JudgedCall, index: ValueIndex): boolean {
  return index.declarationOf(tool).reads ?? annotations.readOnly === true;
}

/** Judges a call by its values. Undefined: the rules are not asked about it. */
export function judgeValues(call: JudgedCall, index: ValueIndex, rules: ValueRules): ValueJudgement | undefined {
  if (!isJudged(call, index)) return undefined;
  const declaration = index.declarationOf(call.tool);
  const reads = isReading(call, index);
  const { values: placed, overflow } = reads ? placeLinks(call.args) : placeValues(call.args, declaration);
  const labels = labelValues(placed, index);
  const facts = { act: actFacts(call, { declaration, placed, index }), ...sessionFacts(index) };
  const values = labels.map(({ label, value, guessed = false }) => ({
    label,
    value: String(value),
    facts: {
      ...facts,
      value: {
        ...valueFacts(label, { value, placed, index }),
        guessed,
        local: isLocal(call, { label, value, guessed }),
      },
    },
  }));
  const asked = { values, act: reads ? undefined : { ...facts, value: {} }, overflow, lack: index.lack };
  const sorted = decideAll(asked, rules);
  const worst: Decided = sorted[0] ?? { verdict: "allow", reason: "it holds no value that reaches anything", cite: "" };
  const shadow = rules.watching.map((watched) => shadowOf(watched.id, decideAll(asked, watched.rules)[0]));
  return {
    values: [...labels.map(({ label }) => label), ...(overflow ? [overflowLabel] : [])].slice(0, mostValues),
    verdict: worst.verdict,
    reason: worst.reason,
    ...(worst.rule === undefined ? {} : { rule: worst.rule }),
    rules_hash: rules.hash,
    ...(shadow.length === 0 ? {} : { shadow }),
    doubts: sorted.flatMap(doubtOf),
  };
}

/** What rules are asked about a call: each of its values, and the call itself where it acts. */
interface Asked {
  readonly values: readonly { readonly label: ValueLabel; readonly value: string; readonly facts: JsonObject }[];
  readonly act: JsonObject | undefined;
  readonly overflow: boolean;
  /** Why what is known is not enough to allow anything. */
  readonly lack: string | undefined;
}

/** What the rules decide, the strictest first. */
function decideAll({ values, act, overflow, lack }: Asked, rules: ValueRules): readonly Decided[] {
  const decided: Decided[] = values.map(({ label, value, facts }) => ({ label, value, ...rules.decideValue(facts) }));
  if (overflow)
    decided.push({
      label: overflowLabel,
      verdict: "ask",
      cite: "its size",
      reason: `it has more than ${mostValues} values, more than can be looked at`,
    });
  const ofAct = act && rules.decideAct(act);
  if (ofAct) decided.push(ofAct);
  if (lack !== undefined) decided.push({ verdict: "ask", reason: lack, cite: "its record" });
  return strictestFirst(decided);
}

/** What a pack that only watches would have decided. */
export interface ShadowVerdict {
  readonly policy_id: string;
  readonly verdict: ValueVerdict;
  readonly rule?: number;
  readonly reason: string;
}

function shadowOf(policy_id: string, worst: Decided | undefined): ShadowVerdict {
  if (worst === undefined) return { policy_id, verdict: "allow", reason: "it holds no value that reaches anything" };
  const position = /\[(\d+)\]$/.exec(worst.rule ?? "")?.[1];
  const rule = position === undefined ? {} : { rule: Number(position) };
  return { policy_id, verdict: worst.verdict, ...rule, reason: worst.reason };
}

interface Decided extends RuleDecision {
  readonly label?: ValueLabel;
  readonly value?: string;
}

const overflowLabel: ValueLabel = { at: "", sink: "overflow", from: ["model"] };
const strictFirst: readonly ValueVerdict[] = ["deny", "ask", "allow"];

function strictestFirst(decided: readonly Decided[]): readonly Decided[] {
  return [...decided].sort((a, b) => strictFirst.indexOf(a.verdict) - strictFirst.indexOf(b.verdict));
}

function doubtOf({ verdict, reason, cite, label, value }: Decided): readonly ValueDoubt[] {
  if (verdict === "allow") return [];
  return [{ verdict, reason, cite, ...(label ? { label } : {}), ...(value === undefined ? {} : { value }) }];
}

interface Labelled {
  readonly label: ValueLabel;
  readonly value: Placed["value"];
  readonly guessed?: boolean;
}

/** The labels of a call's values, by look-up. */
export function labelValues(placed: readonly Placed[], index: ValueIndex): readonly Labelled[] {
  return placed.flatMap((each): readonly Labelled[] => {
    const { at, span, sink, kind, value } = each;
    if (sink === "plain") return [];
    const place = { at, ...(span ? { span } : {}), sink, ...(kind === undefined ? {} : { kind }) };
    if (sink === "content") return [{ label: { ...place, from: ["model"] }, value }, ...secretsIn(each, index)];
    const label = { ...place, ...originsOf(findOrigins(each, index).origins) };
    return [{ label, value, guessed: each.guessed === true }];
  });
}

function originsOf(
  found: readonly { readonly from: Origin; readonly ref?: string }[],
): Pick<ValueLabel, "from" | "ref"> {
  const ref = [...new Set(found.flatMap((each) => each.ref ?? []))];
  return { from: found.map(({ from }) => from), ...(ref.length > 0 ? { ref } : {}) };
}

/** Secret fields whose value a text gives away. */
function secretsIn({ at, value }: Placed, index: ValueIndex): readonly Labelled[] {
  const text = folded(String(value));
  const found = new Map<string, Labelled>();
  for (const { call_id, fields } of index.sources) {
    for (const field of fields) {
      if (!field.secret || field.value.length < 4 || found.has(field.name) || !standsIn(text, field.value)) continue;
      const ref = [`${call_id}#${field.at}`];
      const label = { at, sink: "secret.in_content", kind: field.name, from: ["record.listed"], ref } as const;
      found.set(field.name, { label, value: field.value });
    }
  }
  return [...found.values()];
}

interface Around {
  readonly declaration: ToolDeclaration;
  readonly placed: readonly Placed[];
  readonly index: ValueIndex;
}

function actFacts({ tool, args, annotations }: JudgedCall, { declaration, placed, index }: Around): JsonObject {
  const { words } = index.person;
  const name = (tool.split(".").at(-1) ?? tool).replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll("_", " ");
  const naming = wordsOf(name).filter((word) => word.length >= 4);
  return {
    tool,
    args,
    annotations: { readOnly: annotations.readOnly === true, destructive: annotations.destructive === true },
    bare: placed.length === 0 && Object.keys(args).length === 0,
    named: naming.length > 0 && naming.every((word) => words.has(word)),
    repeated: index.timesMade(tool, args) > 0,
    count: index.timesCalled(tool),
    in_workspace: staysInWorkspace(tool) || annotations.confined === true,
    destroys: destroys(tool, declaration, annotations.destructive),
    takes_away: takesAway(tool, declaration),
    asked_to: saysToTakeAway(words),
  };
}

function sessionFacts(index: ValueIndex): JsonObject {
  return { sources: { count: index.sources.length }, person: { spoke: index.personTexts.length > 0 } };
}

function valueFacts(
  { at, sink, kind, from }: ValueLabel,
  {
    value,
    placed,
    index,
  }: { readonly value: Placed["value"]; readonly placed: readonly Placed[]; readonly index: ValueIndex },
): JsonObject {
  return {
    arg: at,
    sink,
    kind: kind ?? "",
    from: [...from],
    text: String(value),
    number: typeof value === "number" ? value : Number.isFinite(Number(value)) ? Number(value) : 0,
    bound: sink === "measure" ? boundOf(placed, index) : 0,
    host: kind === "host" ? String(value) : "",
    named: sink === "secret.in_content" && nameIsSaid(kind ?? "", index),
    secret: sink === "secret.in_content",
  };
}

/**
 * Whether a value reaches nothing but this machine: a link of a command line, unless a text that was read put it there; and an
 * argument of a server in the sandbox that counts as reaching only for want of a declaration.
 */
function isLocal(
  { tool, annotations }: JudgedCall,
  { label: { sink, from }, value, guessed }: Required<Labelled>,
): boolean {
  const isConfined = annotations.confined === true;
  if (!staysInWorkspace(tool)) return isConfined && guessed;
  return sink === "reach" && (leadsHere(String(value)) || (isConfined && !from.includes("text")));
}

function nameIsSaid(name: string, index: ValueIndex): boolean {
  const words = wordsOf(name.replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll("_", " ")).filter(
    (word) => word.length >= 3,
  );
  return words.length > 0 && words.every((word) => index.person.words.has(word));
}

/** The highest amount in a record that holds whom the call reaches, where the service wrote both. */
function boundOf(placed: readonly Placed[], index: ValueIndex): number {
  const reached = new Set(placed.filter(({ sink }) => sink === "reach").map(({ value }) => folded(String(value))));
  let bound = 0;
  for (const { fields } of index.sources) {
    const records = new Set(fields.filter(({ value }) => reached.has(value)).map(({ record }) => record));
    for (const field of fields)
      if (field.kind === "amount" && records.has(field.record)) bound = Math.max(bound, Number(field.value) || 0);
  }
  return bound;
}
