import type { Approval } from "./approval.ts";

/** The one set of words, for every kind of question. */
export type AnswerWord = "allow" | "allow_values" | "some" | "deny";

/** How a question can be answered. */
export interface AnswerChoice {
  /** As it is recorded: the kind's own word. */
  readonly choice: string;
  readonly word: AnswerWord;
  /** Words that mean the same. */
  readonly also: readonly string[];
  /** What the answer means for this kind. */
  readonly label: string;
  readonly yes: boolean;
  /** It says nothing without words. */
  readonly needs_words: boolean;
}

/** Accepted for the first choice of every kind. */
const yes = ["allow", "approve", "yes"];
/** Accepted for the last choice of every kind that has more than one. */
const no = ["deny", "no"];

/** The choice that a word means. A word that means none is left as it is, and refused as such. */
export function choiceMeant(word: string, choices: readonly string[]): string {
  if (choices.includes(word)) return word;
  const [first] = choices;
  if (yes.includes(word)) return first ?? word;
  if (no.includes(word)) return (choices.length > 1 ? choices.at(-1) : undefined) ?? word;
  return word === "allow_values" && choices.includes("approve_values") ? "approve_values" : word;
}

export function answersTo(
  { choices }: Pick<Approval, "choices">,
  { needWords, labels }: { readonly needWords: readonly string[]; readonly labels: Readonly<Record<string, string>> },
): readonly AnswerChoice[] {
  return choices.map((choice, index) => {
    const word = wordOf(choice, index, choices.length);
    const also = [...(word === "allow" ? yes : word === "deny" ? no : []), choice].filter((each) => each !== word);
    return {
      choice,
      word,
      also: [...new Set(also)],
      label: labels[choice] ?? choice.replaceAll("_", " "),
      yes: word !== "deny",
      needs_words: needWords.includes(choice),
    };
  });
}

/** The first choice means yes, the last of several no, what stands between yes in part. */
function wordOf(choice: string, index: number, count: number): AnswerWord {
  if (index === 0) return "allow";
  if (index === count - 1) return "deny";
  return choice === "approve_values" ? "allow_values" : "some";
}
