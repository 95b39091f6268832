import { domainError } from "#core/errors";
import { err, ok, type Result, suggest } from "#core/values";
import { fitsBetter } from "./catalogue.ts";
import { commandIn, fillArguments } from "./fill-arguments.ts";
import type { Skill } from "./skill.ts";

/** One skill that the prompt speaks of, and the words that say so, longest first. */
export interface SkillCandidate {
  readonly skill: Skill;
  readonly triggers: readonly string[];
}

export interface SkillMatch {
  readonly selected: Skill | undefined;
  readonly selectedBy: "trigger" | "name" | "nothing";
  /** The triggers of the selected skill that stand in the prompt. */
  readonly triggers: readonly string[];
  /** Best first. */
  readonly candidates: readonly SkillCandidate[];
  /** Why this one, in words. */
  readonly reason: string;
}

/**
 * Finds the skill whose trigger stands in the prompt as words of their own, whatever their case or form (NFKC). A skill's
 * name is one of its triggers. Among several skills the longest trigger found wins, then the most triggers found, then the
 * name that sorts first; the same prompt over the same files always gives the same skill. No trigger, no skill, no tools.
 */
export function matchSkill(prompt: string, skills: readonly Skill[]): SkillMatch {
  const command = commandIn(prompt);
  const named = command && skills.find(({ id, startedOnlyBy }) => id === command.name && startedOnlyBy !== "agent");
  if (named)
    return {
      selected: { ...named, body: fillArguments(named, prompt) },
      selectedBy: "name",
      triggers: [],
      candidates: [{ skill: named, triggers: [] }],
      reason: `the request begins with /${named.id}`,
    };
  const text = fold(prompt);
  const candidates = skills
    .map((skill): SkillCandidate => ({ skill, triggers: found(text, skill) }))
    .filter(({ skill, triggers }) => triggers.length > 0 && mayBeChosen(skill) && !yields(skill, prompt, skills))
    .toSorted(compare);
  const [best, second] = candidates;
  if (!best) {
    const reason =
      skills.length === 0 ? "there are no skills" : `no trigger of the ${skills.length} skills stands in the prompt`;
    return {
      selected: undefined,
      selectedBy: "nothing",
      triggers: [],
      candidates,
      reason: `${reason}, so no skill is chosen and no tools are in scope`,
    };
  }
  return {
    selected: best.skill,
    selectedBy: "trigger",
    triggers: best.triggers,
    candidates,
    reason: explain(best, second),
  };
}

/** The skill that someone named. */
export function selectSkill(name: string, skills: readonly Skill[]): Result<SkillMatch & { readonly selected: Skill }> {
  const skill = skills.find(({ id }) => id === name);
  if (!skill) {
    const names = skills.map(({ id }) => id);
    const near = suggest(name, names);
    const rest = near === undefined ? `known are ${names.join(", ") || "none"}` : `did you mean ${near}?`;
    return err(
      domainError("NOT_FOUND", `there is no skill ${JSON.stringify(name)}; ${rest}`, { details: { skill: name } }),
    );
  }
  return ok({
    selected: skill,
    selectedBy: "name",
    triggers: [],
    candidates: [{ skill, triggers: [] }],
    reason: `the skill ${name} was named`,
  });
}

/** Whether an agent, or a word of the request, may start it. */
export function mayBeChosen({ startedOnlyBy }: Skill): boolean {
  return startedOnlyBy !== "person";
}

/** A guessed word of one skill starts nothing where the request is more about another: there the agent chooses by what they are for. */
function yields(skill: Skill, prompt: string, skills: readonly Skill[]): boolean {
  return (
    skill.guessesTriggers === true &&
    skills.some((other) => other.guessesTriggers === true && fitsBetter(prompt, other, skill))
  );
}

function found(text: string, skill: Skill): readonly string[] {
  const seen = new Set<string>();
  const triggers: string[] = [];
  for (const trigger of [...skill.triggers, skill.id]) {
    const folded = fold(trigger);
    if (folded === "" || seen.has(folded)) continue;
    seen.add(folded);
    if (standsIn(text, folded)) triggers.push(trigger);
  }
  return triggers.toSorted((a, b) => length(b) - length(a) || (a < b ? -1 : 1));
}

function compare(a: SkillCandidate, b: SkillCandidate): number {
  return longest(b) - longest(a) || b.triggers.length - a.triggers.length || (a.skill.id < b.skill.id ? -1 : 1);
}

function explain(best: SkillCandidate, second: SkillCandidate | undefined): string {
  const quoted = best.triggers.map((trigger) => JSON.stringify(trigger)).join(", ");
  const chosen = `${quoted} in the prompt ${best.triggers.length === 1 ? "is a trigger" : "are triggers"} of ${best.skill.id}`;
  if (!second) return chosen;
  const other = second.skill.id;
  if (longest(best) > longest(second))
    return `${chosen}; it is longer than what ${other} has (${JSON.stringify(second.triggers[0])})`;
  if (best.triggers.length > second.triggers.length) return `${chosen}; ${other} has fewer (${second.triggers.length})`;
  return `${chosen}; ${other} fits as well and sorts after it by name`;
}

function longest(candidate: SkillCandidate): number {
  return Math.max(0, ...candidate.triggers.map(length));
}

function length(trigger: string): number {
  return Array.from(fold(trigger)).length;
}

/** One form for all ways to write the same: compatibility forms, case, runs of white space. */
function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().normalize("NFKC").replaceAll(/\s+/gu, " ").trim();
}

const wordChar = /[\p{L}\p{N}\p{M}_]/u;
/** Scripts that put no space between words: an edge of such a character needs no boundary. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

function standsIn(text: string, trigger: string): boolean {
  const chars = Array.from(trigger);
  const first = chars[0] ?? "";
  const last = chars.at(-1) ?? "";
  for (let at = text.indexOf(trigger); at >= 0; at = text.indexOf(trigger, at + 1)) {
    if (isEdge(first, charBefore(text, at)) && isEdge(last, charAfter(text, at + trigger.length))) return true;
  }
  return false;
}

function isEdge(inside: string, outside: string): boolean {
  return outside === "" || !wordChar.test(outside) || !wordChar.test(inside) || unspaced.test(inside);
}

function charBefore(text: string, at: number): string {
  if (at === 0) return "";
  const low = text.charCodeAt(at - 1);
  return low >= 0xdc00 && low <= 0xdfff && at > 1 ? text.slice(at - 2, at) : text.slice(at - 1, at);
}

function charAfter(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? "" : String.fromCodePoint(point);
}
