/** The JSON of an answer: models put a fence around it out of habit, so the fence is taken off; any other prose stays. */
export function stripCodeFence(text: string): string {
  const trimmed = text.trim();
  return /^```(?:json)?\n([\s\S]*)\n```$/.exec(trimmed)?.[1] ?? trimmed;
}
