import type { Skill } from "./skill.ts";

/** Characters of one description: enough to choose by. */
const mostDescription = 300;
/** Share of the window that the list may take. */
const share = 0.02;
const charsPerToken = 4;

/**
 * The skills of a workspace by name and description, for the agent to choose from: those first whose words stand in the
 * request, within two percent of what a conversation may hold. Bodies are loaded when they are wanted.
 */
export function skillCatalogue(skills: readonly Skill[], prompt: string, contextTokens: number): string {
  const words = wordsOf(prompt);
  const ranked = skills
    .filter(({ startedOnlyBy }) => startedOnlyBy !== "person")
    .map((skill) => ({ skill, score: scoreOf(skill, words) }))
    .toSorted((one, other) => other.score - one.score || (one.skill.id < other.skill.id ? -1 : 1));
  const lines: string[] = [];
  let room = contextTokens * share * charsPerToken - heading.length;
  for (const { skill } of ranked) {
    const line = `- ${skill.id}: ${shorten(skill.description)}`;
    if (line.length + 1 > room) break;
    room -= line.length + 1;
    lines.push(line);
  }
  if (lines.length === 0) return "";
  const left = ranked.length - lines.length;
  return [heading, ...lines, ...(left > 0 ? [`- and ${left} more that do not fit here`] : [])].join("\n");
}

const heading =
  "# Skills\n\nInstructions for kinds of work. Where one fits, load it with skill.load before you begin.\n";

/** The list as it stands in the instructions of a conversation. */
export function catalogueIn(text: string): string | undefined {
  const at = text.indexOf(heading);
  if (at < 0) return undefined;
  const end = text.indexOf("\n\n", at + heading.length);
  return end < 0 ? text.slice(at) : text.slice(at, end);
}

/** Whether a request speaks more of what this skill is about than of what the other is about. */
export function fitsBetter(prompt: string, one: Skill, other: Skill): boolean {
  const words = wordsOf(prompt);
  return scoreOf(one, words) > scoreOf(other, words);
}

function scoreOf({ id, description, triggers }: Skill, words: ReadonlySet<string>): number {
  const own = wordsOf(`${id} ${description} ${triggers.join(" ")}`);
  let score = 0;
  for (const word of own) if (words.has(word)) score++;
  return score;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu) ?? [],
  );
}

function shorten(description: string): string {
  const line = description.replaceAll(/\s+/g, " ").trim();
  return line.length > mostDescription ? `${line.slice(0, mostDescription - 1).toWellFormed()}…` : line;
}
