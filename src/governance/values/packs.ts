import type { ValueRights } from "./declarations.ts";

export type ValueRule = NonNullable<ValueRights["rules"]>[number];

const known = `value.from.exists(o, o in ["person", "order", "approved", "own", "minted", "directory.picked", "record.picked"])`;
const notMinted = `value.from.exists(o, o in ["person", "order", "approved", "own", "directory.picked", "record.picked"])`;

/** Whom or what a call reaches, which thing it is about, and what leads out of a text. The same in both packs. */
const reach: readonly ValueRule[] = [
  {
    each: "value",
    when: `value.sink == "content" || value.sink == "plain"`,
    then: "allow",
    reason: "it reaches no one by itself",
  },
  { each: "value", when: `value.sink == "reach" && ${known}`, then: "allow", reason: "whom it reaches is known" },
  {
    each: "value",
    when: `value.sink == "reach" && value.from.all(o, o in ["text", "model"])`,
    then: "deny",
    reason: "whom it reaches stands only in text that the person did not name, or nowhere",
  },
  {
    each: "value",
    when: `value.sink == "reach.in_content" && ${known}`,
    then: "allow",
    reason: "where it leads is known",
  },
  {
    each: "value",
    when: `value.sink == "reach.in_content" && value.from.all(o, o == "text")`,
    then: "deny",
    reason: "where it leads stands only in text that the person did not name",
  },
  {
    each: "value",
    when: `value.sink == "object" && value.from.exists(o, o == "minted") && !${notMinted} && act.destroys`,
    then: "ask",
    reason: "what the session made may be changed without a question, not destroyed",
  },
  {
    each: "value",
    when: `value.sink == "object" && ${known}`,
    then: "allow",
    reason: "which thing it is about is known",
  },
];

const others: readonly ValueRule[] = [
  {
    each: "value",
    when: `value.sink == "secret" && value.from.exists(o, o in ["person", "order", "approved"])`,
    then: "allow",
    reason: "the person named it",
  },
  {
    each: "value",
    when: `value.sink == "secret.in_content" && value.named`,
    then: "allow",
    reason: "the person named the secret that it holds",
  },
  {
    each: "value",
    when: `value.sink == "when" && value.from.exists(o, o in ["person", "order", "approved", "minted", "directory.picked", "record.picked"])`,
    then: "allow",
    reason: "the day is known",
  },
  {
    each: "value",
    when: `value.sink == "label" && value.from.exists(o, o in ["person", "order", "approved", "record.picked"])`,
    then: "allow",
    reason: "its words are the person's, or names in what they chose",
  },
];

const acts: readonly ValueRule[] = [
  {
    when: "act.bare && !act.named",
    then: "ask",
    reason: "it has no argument that could be checked, and the person did not name it",
  },
  { when: "act.repeated", then: "ask", reason: "exactly this was done before" },
];

const said = `value.from.exists(o, o in ["person", "order", "approved"])`;
const bounded: ValueRule = {
  each: "value",
  when: `value.sink == "measure" && (${said} || (value.bound > 0.0 && value.number <= value.bound))`,
  then: "allow",
  reason: "the amount was said, or it is not above what was paid there before",
};
const amountSaid: ValueRule = {
  each: "value",
  when: `value.sink == "measure" && ${said}`,
  then: "allow",
  reason: "the amount was said",
};

/** The rules that ship. What none of them decides is asked. */
export const packs: Readonly<Record<"standard" | "strict", readonly ValueRule[]>> = {
  standard: [...reach, bounded, ...others, ...acts],
  strict: [...reach, amountSaid, ...others, ...acts],
};
