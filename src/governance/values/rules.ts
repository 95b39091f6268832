import type { MandateV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import { type Compiled, compileExpression } from "#core/expressions";
import {
  canonicalJson,
  err,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ok,
  type Result,
  type Sha256,
  sha256,
} from "#core/values";
import type { ValueRule } from "./pack-rule.ts";
import { rulesOfShipped } from "./packs.ts";

/** What a mandate says of values: rights, the policies that they name, and what orders added. */
export type ValueLaw = Pick<NonNullable<MandateV1["values"]>, "rights" | "packs" | "added">;

export type ValueVerdict = ValueRule["then"];

/** What a rule decided about a value or about an act. */
export interface RuleDecision {
  readonly verdict: ValueVerdict;
  readonly reason: string;
  /** `standard[3]`, `rules[0]`; absent where no rule decided. */
  readonly rule?: string;
  /** Where people read the rule: `values/standard.md:31`. */
  readonly cite: string;
}

export interface ValueRules {
  /** Over the rules in their order: what a decision is bound to. */
  readonly hash: Sha256;
  decideValue(facts: JsonObject): RuleDecision;
  /** About the act itself; undefined where no rule speaks of it. */
  decideAct(facts: JsonObject): RuleDecision | undefined;
  /** Packs that only watch. */
  readonly watching: readonly { readonly id: string; readonly rules: ValueRules }[];
}

interface Cited {
  readonly rule: ValueRule;
  readonly name: string;
  readonly cite: string;
}

interface Planned extends Cited {
  readonly when: Compiled;
}

/** What rules over values may read. */
export const valueVariables: ReadonlySet<string> = new Set(["act", "value", "sources", "person"]);

/**
 * Compiles the rules that a mandate names: the framework's own, then those of its pack, of which the first that is true decides;
 * and beside them the rules that orders added, which can only make the decision stricter. A rule that does not compile refuses
 * the call, and so does a pack that is not there.
 */
export function compileRules(law: ValueLaw): Result<ValueRules> {
  const { rights } = law;
  const own = (rights.rules ?? []).map((rule, index) => ({
    rule,
    name: `rules[${index}]`,
    cite: `values.rules[${index}] of the framework`,
  }));
  const pack = packNamed(rights.pack, law);
  if (!pack.ok) return pack;
  const main = compileList([...own, ...pack.value.rules], pack.value);
  if (!main.ok) return main;
  const added: Compiling[] = [];
  for (const { document, path, rules } of law.added ?? []) {
    const cited = rules.map((rule, index) => ({
      rule,
      name: `added[${index}]`,
      cite: `${path}[${index}] of ${document}`,
    }));
    const compiled = compileList(cited, undefined);
    if (!compiled.ok) return compiled;
    added.push(compiled.value);
  }
  const watching: { readonly id: string; readonly rules: ValueRules }[] = [];
  for (const id of rights.shadow ?? []) {
    const watched = compileRules({ rights: { pack: id }, ...(law.packs ? { packs: law.packs } : {}) });
    if (!watched.ok) return watched;
    watching.push({ id, rules: watched.value });
  }
  return ok({
    hash: hashOf(main.value, added),
    decideValue: remembering([main.value, ...added], (facts) =>
      strictest(added, main.value.ofValue(facts), "ofValue", facts),
    ),
    decideAct: (facts) => strictest(added, main.value.ofAct(facts), "ofAct", facts),
    watching,
  });
}

/** With nothing added, over the rules alone, as it was before orders could add any. */
function hashOf(main: Compiling, added: readonly Compiling[]): Sha256 {
  const list = ({ all }: Compiling) =>
    all.map(({ rule: { each, when, then, reason } }) => ({ ...(each ? { each } : {}), when, then, reason }));
  if (added.length === 0 && main.otherwise === "ask") return sha256(canonicalJson(list(main)));
  return sha256(canonicalJson({ rules: list(main), otherwise: main.otherwise, added: added.map(list) }));
}

interface NamedPack {
  readonly rules: readonly Cited[];
  readonly otherwise: "ask" | "deny";
  readonly file: string;
}

function packNamed(pack: string, { packs = [] }: Pick<ValueLaw, "packs">): Result<NamedPack> {
  if (pack === "off") return ok({ rules: [], otherwise: "ask", file: "" });
  const found = packs.find(({ id }) => id === pack);
  const shipped = found ? undefined : rulesOfShipped(pack);
  if (shipped) {
    const { file, rules } = shipped;
    const name = pack.replace(/^values\//, "");
    const cited = rules.map(({ rule, line }, index) => ({ rule, name: `${name}[${index}]`, cite: `${file}:${line}` }));
    return ok({ rules: cited, otherwise: "ask", file });
  }
  if (!found) return err(domainError("WORKFLOW_UNKNOWN_ID", `the mandate does not hold the pack ${pack}`));
  const cited = found.rules.map(({ line, ...rule }, index) => ({
    rule,
    name: `${pack}[${index}]`,
    cite: `${found.file}:${line}`,
  }));
  return ok({ rules: cited, otherwise: found.otherwise, file: found.file });
}

interface Compiling {
  readonly all: readonly Planned[];
  readonly otherwise: "ask" | "deny";
  ofValue(facts: JsonObject): RuleDecision | undefined;
  ofAct(facts: JsonObject): RuleDecision | undefined;
}

/** With a pack, what none of its rules knows is decided by its default; rules without one say nothing there. */
function compileList(rules: readonly Cited[], pack: NamedPack | undefined): Result<Compiling> {
  const all: Planned[] = [];
  for (const each of rules) {
    const when = compileExpression(each.rule.when, valueVariables);
    if (!when.ok) return err({ ...when.error, message: `values ${each.name}: ${when.error.message}` });
    all.push({ ...each, when: when.value });
  }
  const ofValues = all.filter(({ rule }) => rule.each === "value");
  const ofActs = all.filter(({ rule }) => rule.each === undefined);
  const otherwise = pack?.otherwise ?? "ask";
  const unknown = pack && { verdict: otherwise, reason: "no rule knows this value", cite: pack.file };
  return ok({
    all,
    otherwise,
    ofValue: (facts) => firstOf(ofValues, facts) ?? unknown,
    ofAct: (facts) => firstOf(ofActs, facts),
  });
}

const strictFirst: readonly ValueVerdict[] = ["deny", "ask", "allow"];

function strictest<D extends RuleDecision | undefined>(
  added: readonly Compiling[],
  decided: D,
  about: "ofValue" | "ofAct",
  facts: JsonObject,
): D | RuleDecision {
  let worst: D | RuleDecision = decided;
  for (const each of added) {
    const other = each[about](facts);
    if (other === undefined) continue;
    if (worst === undefined || strictFirst.indexOf(other.verdict) < strictFirst.indexOf(worst.verdict)) worst = other;
  }
  return worst;
}

const mostRemembered = 1_000;
const undecided: RuleDecision = { verdict: "ask", reason: "no rule knows this value", cite: "" };

/**
 * Rules are pure, so what they read decides. Most values of a session are alike to them (an address from the directory, a
 * title of the person's words): evaluating the same rules again took three quarters of the time of an act.
 */
function remembering(lists: readonly Compiling[], decide: (facts: JsonObject) => RuleDecision | undefined) {
  const paths = lists.flatMap(({ all }) =>
    all.filter(({ rule }) => rule.each === "value").flatMap(({ when }) => when.reads.map(({ path }) => path)),
  );
  const decided = new Map<string, RuleDecision>();
  return (facts: JsonObject): RuleDecision => {
    const key = JSON.stringify(paths.map((path) => valueAt(facts, path) ?? { absent: true }));
    const known = decided.get(key);
    if (known) return known;
    const decision = decide(facts) ?? undecided;
    if (decided.size >= mostRemembered) decided.clear();
    decided.set(key, decision);
    return decision;
  };
}

/** As deep as a path leads; where it leads on into a list or a text, all of that. */
function valueAt(facts: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = facts;
  for (const name of path) {
    if (name === "*" || !isJsonObject(value)) return value;
    value = value[name];
  }
  return value;
}

/** The first rule that holds. One that cannot be evaluated asks: what it would have said is unknown. */
function firstOf(rules: readonly Planned[], facts: JsonObject): RuleDecision | undefined {
  for (const { rule, name, cite, when } of rules) {
    const held = when.evaluate(facts);
    if (!held.ok)
      return { verdict: "ask", rule: name, cite, reason: `the rule could not be evaluated: ${held.error.message}` };
    if (held.value === true) return { verdict: rule.then, rule: name, cite, reason: rule.reason };
  }
  return undefined;
}
