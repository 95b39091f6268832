import type { ValueDoubt } from "./judge-values.ts";
import type { Origin } from "./origin.ts";
import type { ValueIndex } from "./value-index.ts";

const mostShown = 5;
const longestValue = 80;

/** Why a call is asked about or refused, in words: each value, where it came from, what the rule says and where it stands. */
export function explainDoubts(doubts: readonly ValueDoubt[], index: ValueIndex): string {
  const lines = doubts.slice(0, mostShown).map((doubt) => explainDoubt(doubt, index));
  const more = doubts.length - lines.length;
  return `${lines.join("; ")}${more > 0 ? `; and ${more} more` : ""}; ${whatWasRead(index)}`;
}

/** What the agent had read by then, the newest first: somewhere there stands what made it try. */
function whatWasRead({ sources }: ValueIndex): string {
  const read = [
    ...new Set(
      sources
        .filter(({ acted }) => !acted)
        .map(({ tool }) => tool)
        .reverse(),
    ),
  ];
  if (read.length === 0) return "nothing was read before";
  const more = read.length - mostShown;
  return `after reading ${read.slice(0, mostShown).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** One doubt, in words. */
export function explainDoubt({ label, value, reason, cite }: ValueDoubt, index: ValueIndex): string {
  if (!label || label.sink === "overflow") return `${reason} [${cite}]`;
  const argument = label.at
    .slice(1)
    .replace(/\/\d+$/, "")
    .replaceAll("/", ".");
  // Foreign text: quoted and cut, so that it can neither pass for Writ's own words nor fill the screen.
  const shown = JSON.stringify(cut(value ?? ""));
  return `${argument} ${shown} (${whence(label, index)}): ${reason} [${cite}]`;
}

function whence({ from, ref = [] }: NonNullable<ValueDoubt["label"]>, index: ValueIndex): string {
  const sources = ref.flatMap((each) => {
    const call = index.sources.find(({ call_id }) => call_id === each.split("#")[0]);
    return call ? [`${call.tool}${call.named ? ", which you named" : ""}`] : [];
  });
  const places = [...new Set(sources)].join(" and ");
  const best = from[0] ?? "model";
  return places === "" ? words[best] : `${words[best]} ${places}`;
}

const words: Readonly<Record<Origin, string>> = {
  person: "from your words",
  order: "from the order",
  approved: "approved",
  own: "your own",
  minted: "made in this session by",
  "directory.picked": "from the directory entry that you chose in",
  "record.picked": "from the record that you chose in",
  "fact.picked": "chosen by somebody else, in the record that you chose in",
  "directory.listed": "one of several in the directory of",
  "record.listed": "one of several in",
  "fact.listed": "chosen by somebody else, in",
  "text.named": "from the text of",
  text: "from the text of",
  model: "found nowhere: the model made it",
};

function cut(text: string): string {
  return text.length > longestValue ? `${text.slice(0, longestValue - 1).toWellFormed()}…` : text;
}
