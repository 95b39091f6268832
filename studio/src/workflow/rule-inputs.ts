import type { PolicyV1 } from "../../../src/core/contracts/generated/types.ts";
import type { Event } from "../api/types.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;
type Gated = Of<"workflow.policy_gated">;

export interface Input {
  readonly name: string;
  readonly value: string;
}

/** What a rule saw: the names in its expression with the values that the record holds for them, each once. */
export function ruleInputs(expression: string, facts: unknown): readonly Input[] {
  const bare = expression.replace(/'[^']*'|"[^"]*"/g, "''");
  const names = new Set(bare.match(/\b[a-z_]\w*(?:\.[a-z_]\w*)+/gi));
  return [...names].flatMap((name) => {
    const found = lookUp(name.split("."), facts);
    return found ? [found] : [];
  });
}

/** As far as the path leads: what follows a value is a function that is called on it. */
function lookUp(path: readonly string[], facts: unknown): Input | undefined {
  let [value, depth] = [facts, 0];
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) break;
    value = (value as Record<string, unknown>)[step];
    depth++;
  }
  if (depth < 2) return undefined;
  return { name: path.slice(0, depth).join("."), value: typeof value === "string" ? value : JSON.stringify(value) };
}

/** What was known when a policy was asked, as the events of the same session tell it. */
export function factsOf(gated: Gated, events: readonly Event[], policy: PolicyV1 | undefined): object {
  const before = events.filter(({ seq }) => seq < gated.seq);
  const { subject } = gated.payload;
  const gathered = before.findLast((event): event is Of<"workflow.gathered"> => event.type === "workflow.gathered");
  const entered = before.findLast((event): event is Of<"workflow.entered"> => event.type === "workflow.entered");
  const finding = gathered?.payload.findings.find(({ fingerprint }) => fingerprint === subject);
  // Who is asked is recorded when all of them are: right after the policies let them in.
  const asked = events.find(
    (event): event is Of<"workflow.fanned_out"> => event.type === "workflow.fanned_out" && event.seq > gated.seq,
  );
  const persona = finding ? undefined : asked?.payload.personas.find((one) => one.persona === subject);
  const observed = (finding ? gathered : entered)?.payload.observed;
  return {
    ...observed,
    ...(finding ? { finding } : {}),
    ...(persona ? { persona } : {}),
    ...(policy?.parameters ? { parameters: policy.parameters } : {}),
  };
}

/** A finding is known by its fingerprint; a reader knows it by its title. */
export function subjectOf(gated: Gated, events: readonly Event[]): string | undefined {
  const { subject } = gated.payload;
  for (const event of events)
    if (event.type === "workflow.gathered")
      for (const { fingerprint, title, severity } of event.payload.findings)
        if (fingerprint === subject) return `${severity} ${title}`;
  return subject;
}
