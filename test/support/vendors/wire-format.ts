/** What a fake model says, before it is put into a vendor's words. */
export interface Said {
  readonly text?: string;
  /** What it thought before, as far as the vendor shows it, and the form in which the vendor wants it back. */
  readonly reasoning?: string;
  readonly sealedReasoning?: string;
  /** `input` is the text of the arguments, as a model writes them. */
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  readonly finish?: "stop" | "tool" | "length" | "safety" | "unknown" | "malformed_call";
  /** null leaves the figures out. */
  readonly usage?: {
    readonly input: number;
    readonly output: number;
    readonly cached?: number;
    readonly written?: number;
  } | null;
}

/** One vendor's way of saying it. */
export interface WireFormat {
  readonly keyHeader: string;
  isStream(path: string, body: Record<string, unknown>): boolean;
  document(said: Said): unknown;
  /** The frames of an event stream, each a whole event. */
  frames(said: Said): readonly string[];
  error(status: number, message: string, type?: string): unknown;
  /** What tells that the vendor is still there. */
  readonly keepAlive: string;
}

/** Text in pieces of a few characters, as models give it. */
export function pieces(text: string, size = 5): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += size) found.push(text.slice(at, at + size));
  return found;
}

export function frame(data: unknown, event?: string): string {
  return `${event ? `event: ${event}\n` : ""}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

export const defaultUsage: NonNullable<Said["usage"]> = { input: 20, output: 7 };
