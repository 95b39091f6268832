import type { Passage } from "./split-passages.ts";

/** Words that tell nothing about what is asked. */
const silent = new Set(
  "a about above after all also an and any are as at be because been before being below between both but by can could describe did do does each every explain few for from give had has have he her here his how if in into is it its itself just let like make many may me more most much must my no nor not of off on once one only or other our out over own per please same section she should show so some such tell than that the their them then there these they this those through to too two under until up upon us use used using very was we were what when where which while who whom why will with within without would write you your".split(
    " ",
  ),
);

/** How much of the best score a passage needs to count. */
const leastShare = 0.25;

/** The words of a text that carry meaning, reduced to a stem so that "leases" finds "lease". */
export function keyWords(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_.-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu) ?? [];
  return words.filter((word) => word.length > 1 && !silent.has(word)).map(stem);
}

function stem(word: string): string {
  if (word.length <= 4) return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
  const cut = word.replace(/(?:ations?|ings?|ies|edly|ed|es|s|ly)$/u, "");
  return (cut.length >= 3 ? cut : word).replace(/[ei]$/u, "");
}

/**
 * The passages that speak of the question, the best first. A word that few passages hold weighs more than one that all
 * hold; a heading counts twice. What speaks of it far less than the best is left out: a word by chance is no answer. The
 * same question over the same passages gives the same order.
 */
export function rankPassages<P extends Passage>(question: string, passages: readonly P[], limit: number): readonly P[] {
  const wanted = [...new Set(keyWords(question))];
  const counted = passages.map((passage) => {
    const words = new Map<string, number>();
    for (const word of keyWords(passage.text)) words.set(word, (words.get(word) ?? 0) + 1);
    const title = new Set(keyWords(passage.heading));
    return { passage, words, title };
  });
  const weights = wanted.map((word) => {
    const holders = counted.filter(({ words, title }) => words.has(word) || title.has(word)).length;
    return holders === 0 ? 0 : Math.log(1 + passages.length / holders);
  });
  const scored = counted
    .map(({ passage, words, title }, index) => {
      let score = 0;
      for (const [at, word] of wanted.entries()) {
        const times = words.get(word) ?? 0;
        const often = times === 0 ? 0 : Math.min(3, 1 + 0.4 * (times - 1));
        score += (weights[at] ?? 0) * (often + (title.has(word) ? 2 : 0));
      }
      // A long passage holds any word by chance.
      return { passage, index, score: score / Math.sqrt(1 + passage.text.length / 1_200) };
    })
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.index - other.index);
  const least = (scored[0]?.score ?? 0) * leastShare;
  return scored
    .filter(({ score }) => score >= least)
    .slice(0, limit)
    .map(({ passage }) => passage);
}
