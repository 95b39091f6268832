import { useSyncExternalStore } from "react";

/** What the server answers when it does not do what was asked: problem+json, with our codes. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    body: Partial<Record<"code" | "title" | "detail", string>> & { details?: Record<string, unknown> },
  ) {
    super(body.detail ?? body.title ?? `the server answered ${status}`);
    this.status = status;
    this.code = body.code ?? `HTTP_${status}`;
    this.title = body.title ?? "The server did not answer as expected";
    this.detail = body.detail ?? "";
    this.details = body.details ?? {};
  }

  get hint(): string {
    const { hint } = this.details;
    if (typeof hint === "string") return hint;
    if (this.status === 0) return "is `writ up` still running?";
    if (this.status === 401) return "sign in with an API key";
    if (this.status === 403) return "ask somebody whose role allows it";
    if (this.status === 404) return "the address may be old; look in the list";
    if (this.status === 429 || this.status === 503) return "the server is busy; try again in a moment";
    return "`writ doctor` checks the workspace";
  }
}

const listeners = new Set<() => void>();
let changes = 0;

/**
 * Who uses the studio changes with a sign-in or a sign-out. The key itself is kept in a cookie that no script reads, in every
 * tab of the browser.
 */
export const signIn = {
  async with(key: string): Promise<void> {
    await send("POST", "/sign-in", { key });
    signIn.changed();
  },
  async out(): Promise<void> {
    await send("DELETE", "/sign-in", undefined);
    signIn.changed();
  },
  changed(): void {
    changes += 1;
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** Components that use this read everything again for another caller. */
export const useSignIn = (): number => useSyncExternalStore(signIn.subscribe, () => changes);

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return read<T>(await reach(path, signal ? { signal } : {}));
}

/** What is no JSON, as its bytes. */
export async function getBytes(path: string, signal?: AbortSignal): Promise<Blob> {
  const response = await reach(path, signal ? { signal } : {});
  return response.ok ? response.blob() : read<never>(response);
}

/** A write carries an idempotency key, so that a repeated click takes effect once. */
export async function send<T>(
  method: "POST" | "DELETE",
  path: string,
  body: unknown,
  key: string = crypto.randomUUID(),
): Promise<T> {
  const init = { "content-type": "application/json", "idempotency-key": key };
  return read<T>(await reach(path, { method, headers: init, body: JSON.stringify(body ?? {}) }));
}

export async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`/api/v1${path}`, init);
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === "AbortError") throw thrown;
    throw new Problem(0, { code: "UNREACHABLE", title: "The server cannot be reached", detail: String(thrown) });
  }
}

async function read<T>(response: Response): Promise<T> {
  const text = await response.text();
  const body = parse(text);
  if (!response.ok) throw new Problem(response.status, body ?? { detail: text.slice(0, 300) });
  return body as T;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a proxy's own error page: the caller shows its text
  }
}

export function problemOf(thrown: unknown): Problem {
  return thrown instanceof Problem
    ? thrown
    : new Problem(0, { code: "STUDIO_FAULT", title: "The studio itself failed", detail: String(thrown) });
}
