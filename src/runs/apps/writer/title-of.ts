const longest = 90;
const asking =
  /^(?:please\s+)?(?:can you\s+)?(?:(?:write|draft|prepare|create|make|produce|compose|give me|explain|describe|summari[sz]e|document|research|report on|tell me about)\b\s*)(?:me\s+)?(?:(?:a|an|the)\s+(?:short|brief|detailed|complete|one-page)?\s*(?:report|document|summary|overview|guide|article|note|paper|page|text|essay|introduction|explanation)\s+(?:on|about|of|to|for|that explains|explaining|describing|which explains)\s+)?/i;

/** A working title from the objective, without the words of the request ("write a …"). */
export function titleOf(objective: string): string {
  const [line = ""] = objective.trim().split(/[\r\n]|(?<=[.!?])\s/);
  const thing =
    line
      .replace(asking, "")
      .replace(/[.!\s]+$/, "")
      .trim() ||
    line.trim() ||
    "Untitled";
  const cut = thing.length > longest ? `${thing.slice(0, longest).replace(/\s+\S*$/, "")}…` : thing;
  return (cut.charAt(0).toUpperCase() + cut.slice(1)).replaceAll(/^#+\s*|\s+#+$/g, "");
}
