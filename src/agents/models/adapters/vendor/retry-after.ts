const longestMs = 24 * 60 * 60 * 1000;

/** When the server wants to be asked again: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const milliseconds = plain(headers["retry-after-ms"]);
  if (milliseconds !== undefined) return milliseconds;
  const text = headers["retry-after"];
  const seconds = plain(text);
  if (seconds !== undefined) return Math.min(longestMs, seconds * 1000);
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.min(longestMs, Math.max(0, at - nowMs));
}

function plain(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Math.min(longestMs, Number(text)) : undefined;
}
