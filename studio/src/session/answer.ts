/** What a reader wants of an output first: a cycle answers in JSON that begins with its verdict. */
export function answerIn(output: string | null): string | null {
  if (!output?.startsWith("{")) return output;
  try {
    const value = JSON.parse(output) as Record<string, unknown>;
    const { verdict, reason, output: inner, text } = value;
    for (const one of [inner, text]) if (typeof one === "string") return one;
    if (typeof verdict === "string") return typeof reason === "string" ? `${verdict}: ${reason}` : verdict;
    return JSON.stringify(value, null, 2);
  } catch {
    return output; // it only looks like JSON
  }
}
