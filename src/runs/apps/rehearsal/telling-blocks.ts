import { fenceAfter, speaksOf } from "./plain-words.ts";

/** A paragraph, a list or a block of code, with the sentence that introduces it. */
export interface Block {
  readonly text: string;
  readonly start_line: number;
  readonly end_line: number;
}

/** A passage up to this length is quoted whole. */
const shortPassage = 900;
const mostBlocks = 3;

/**
 * The blocks of a passage that contain keywords of the question, in their order. The rest of a long passage is left out; the
 * footnote names its source.
 */
export function tellingBlocks(passage: Block, words: readonly string[]): readonly Block[] {
  if (passage.text.length <= shortPassage) return [passage];
  const blocks = blocksOf(passage);
  const scored = blocks.map((block) => ({
    block,
    score: isReading(block.text) ? words.filter((word) => speaksOf(block.text, word)).length : 0,
  }));
  const best = Math.max(0, ...scored.map(({ score }) => score));
  const kept = new Set(
    scored
      .filter(({ score }) => score > 0 && score >= best - 1)
      .sort((one, other) => other.score - one.score)
      .slice(0, mostBlocks)
      .map(({ block }) => block),
  );
  const first = blocks.find(({ text }) => isReading(text)) ?? passage;
  return kept.size > 0 ? joined(blocks, kept) : [first];
}

/** Joins adjacent blocks, so that they share one footnote. */
function joined(blocks: readonly Block[], kept: ReadonlySet<Block>): readonly Block[] {
  const made: Block[] = [];
  let before: Block | undefined;
  for (const block of blocks) {
    const last = made.at(-1);
    if (kept.has(block)) {
      if (last && before && kept.has(before))
        made[made.length - 1] = { ...last, text: `${last.text}\n\n${block.text}`, end_line: block.end_line };
      else made.push(block);
    }
    before = block;
  }
  return made;
}

function blocksOf({ text, start_line }: Block): readonly Block[] {
  const made: Block[] = [];
  let lines: string[] = [];
  let from = 0;
  let fence: string | undefined;
  const all = text.split("\n");
  const flush = (end: number): void => {
    if (lines.some((line) => line.trim() !== ""))
      made.push({ text: lines.join("\n").trim(), start_line: start_line + from, end_line: start_line + end - 1 });
    lines = [];
  };
  for (const [index, line] of all.entries()) {
    fence = fenceAfter(fence, line);
    const isGap = line.trim() === "" && fence === undefined;
    const announces = /:\s*$/.test(lines.findLast((before) => before.trim() !== "") ?? "");
    if (isGap && !announces) {
      flush(index);
      from = index + 1;
    } else lines.push(line);
  }
  flush(all.length);
  return made;
}

/** Whether a text has more than tables and code. */
function isReading(text: string): boolean {
  return !/^ {0,3}(?:\||`{3}|~{3})/.test(text);
}
