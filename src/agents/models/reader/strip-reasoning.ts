const names = "think|thinking|thought|reasoning|analysis";
const leadingSpan = new RegExp(`^\\s*<(${names})>([\\s\\S]*?)</\\1>`, "i");
const opening = new RegExp(`<(?:${names})>`, "i");
const closing = new RegExp(`</(?:${names})>`, "gi");
const finalChannel = /<\|channel\|>\s*final\b[^<]*<\|message\|>([\s\S]*?)(?:<\|(?:return|end|call)\|>|$)/g;

/** Reasoning at the front that does not end: the answer was cut before it began. */
export function isOnlyReasoning(text: string): boolean {
  return new RegExp(`^\\s*(?:<(?:${names})>|<\\|(?:start|channel)\\|>)`, "i").test(text);
}

export interface Stripped {
  readonly text: string;
  /** What stood in the spans. */
  readonly reasoning: string;
  readonly step: "reasoning" | "final channel";
}

/**
 * Takes off what a model thought aloud before its answer: spans such as `<think>…</think>` at the front, a closing tag
 * whose opening one the chat template kept to itself, and the channels of Harmony other than the final one. A span that
 * was never closed is an answer that was cut, and stays.
 */
export function stripReasoning(text: string): Stripped | undefined {
  const channels = [...text.matchAll(finalChannel)];
  if (channels.length === 1)
    return {
      text: (channels[0]?.[1] ?? "").trim(),
      reasoning: text.slice(0, channels[0]?.index),
      step: "final channel",
    };
  let rest = text;
  const thoughts: string[] = [];
  for (let span = leadingSpan.exec(rest); span; span = leadingSpan.exec(rest)) {
    thoughts.push((span[2] ?? "").trim());
    rest = rest.slice(span[0].length);
  }
  const closings = [...rest.matchAll(closing)];
  if (closings.length === 1 && !opening.test(rest)) {
    const at = closings[0]?.index ?? 0;
    thoughts.push(rest.slice(0, at).trim());
    rest = rest.slice(at + (closings[0]?.[0].length ?? 0));
  }
  if (thoughts.length === 0) return undefined;
  return { text: rest.trim(), reasoning: thoughts.filter((each) => each !== "").join("\n\n"), step: "reasoning" };
}
