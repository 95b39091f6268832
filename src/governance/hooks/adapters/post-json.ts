import { messageOf } from "#core/errors";

/** What an address answered. */
export interface Posted {
  readonly status: number;
  readonly body: string;
}

/** One request, whose answer is read to `maxBytes` and no further. A redirect is an answer: nothing is sent to where it leads. */
export interface PostJson {
  (request: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly maxBytes: number;
    readonly signal: AbortSignal;
  }): Promise<Posted | { readonly unreached: string } | { readonly flooded: true }>;
}

export const postJson: PostJson = async ({ url, headers, body, maxBytes, signal }) => {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
      redirect: "manual",
      signal,
    });
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of response.body ?? []) {
      bytes += piece.byteLength;
      if (bytes > maxBytes) return { flooded: true };
      pieces.push(piece);
    }
    return { status: response.status, body: Buffer.concat(pieces).toString("utf8") };
  } catch (thrown) {
    return { unreached: whyUnreached(thrown) };
  }
};

/** The cause names the address and the refusal; the error itself says only that it failed. */
function whyUnreached(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const text = messageOf(cause ?? thrown);
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return text === "" ? code : text;
}
