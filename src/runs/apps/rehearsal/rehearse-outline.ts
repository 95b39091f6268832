import { handedInput, type ProviderCall, type Utterance } from "#agents";
import type { JsonObject, JsonValue } from "#core/values";
import { type Finding, findingsIn } from "./note-findings.ts";
import { isProse, speaksOf, tellingWords, titleInWords, topicOfPath } from "./plain-words.ts";

const mostSections = 5;

/**
 * The scripted planner: one section per source of the survey's findings, from that source alone, so that sections do not repeat
 * each other; the most relevant first. Registry rows make no section.
 */
export function rehearseOutline(call: ProviderCall): Utterance {
  const input = handedInput(call);
  const objective = typeof input["objective"] === "string" ? input["objective"] : "nothing was asked";
  const findings = findingsIn(input["note"])
    .filter(({ kind }) => kind !== "registry")
    .map((finding) => ({ ...finding, text: `${finding.heading}\n\n${finding.text}` }));
  const bySource = new Map<string, Finding[]>();
  for (const finding of findings) bySource.set(finding.source, [...(bySource.get(finding.source) ?? []), finding]);
  const words = tellingWords(objective);
  const weight = (group: readonly Finding[]) =>
    words.filter((word) => group.some(({ text }) => speaksOf(text, word))).length;
  const most = Math.max(0, ...[...bySource.values()].map(weight));
  // If the workspace has findings of its own, a handbook page counts only if it is as relevant.
  const hasOwn = findings.some(({ kind }) => kind === "file");
  const groups = [...bySource.values()]
    .filter((group) => weight(group) * (hasOwn && group[0]?.kind !== "file" ? 1 : 3) >= most)
    .filter((group) => group.some(({ text }) => isProse(text)))
    .sort((left, right) => weight(right) - weight(left) || right.length - left.length)
    .slice(0, mostSections);
  const sections = groups.length > 0 ? sectionsOf(groups, objective) : [nothingFound(objective)];
  return {
    text: JSON.stringify({
      title: titleIn(input["document"]) || titleInWords(objective),
      opening: openingOf(objective, groups),
      sections,
      schema_version: "v1",
    }),
  };
}

function sectionsOf(groups: readonly (readonly Finding[])[], objective: string): JsonObject[] {
  const taken = new Set<string>();
  return groups.map((group) => {
    const [first] = group;
    const topic = group.length === 1 && first?.heading ? first.heading : topicOfPath(first?.source ?? "");
    const heading = taken.has(topic.toLowerCase()) ? `${topic} (${first?.source ?? ""})` : topic;
    taken.add(heading.toLowerCase());
    const parts = [...new Set(group.map((finding) => finding.heading).filter((text) => text !== "" && text !== topic))];
    return {
      heading: heading.slice(0, 120),
      question: `${parts.length > 0 ? parts.join(", ") : topic}: ${objective}`,
      notes: parts.length > 0 ? `Cover: ${parts.join("; ")}` : `Cover what ${first?.source ?? "the source"} says.`,
      ...(first ? { sources: [first.source] } : {}),
    };
  });
}

function nothingFound(objective: string): JsonObject {
  return { heading: "What was looked at", question: objective, notes: "The survey found nothing." };
}

function openingOf(objective: string, groups: readonly (readonly Finding[])[]): string {
  const asked = objective.trim().replace(/[.\s]+$/, "");
  if (groups.length === 0)
    return `This document was to answer: *${asked}*. Nothing that could be read here speaks of it, so it says what was looked for and what would help.`;
  const names = groups.map(([first]) => `\`${first?.source ?? ""}\``);
  const last = names.pop() ?? "";
  const read = names.length > 0 ? `${names.join(", ")} and ${last}` : last;
  return `This document answers: *${asked}*. It is drawn from ${read}; every passage carries a footnote to the lines that it rests on.`;
}

/** The working title of the document. */
function titleIn(document: JsonValue | undefined): string {
  return (typeof document === "string" ? /^# (.+)$/m.exec(document)?.[1] : undefined)?.trim() ?? "";
}
