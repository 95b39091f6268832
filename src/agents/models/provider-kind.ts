import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { WritConfigV1 } from "#core/contracts";
import type { CompletionRequest } from "./completion.ts";
import type { AnswerMode } from "./form/output-mode.ts";

/** A way to speak with a server: its first one, or the older one that other servers speak. */
export type WireApi = "responses" | "chat" | "own";

/** The providers that a profile can name. */
export type ProviderId = NonNullable<WritConfigV1["provider"]>;

/** Everything that is asked of a provider. No member is optional: one that leaves an answer out does not compile. */
export interface ProviderKindSpec<Id extends ProviderId> {
  readonly id: Id;
  /** The model of a profile that names none; null: the profile must name one. */
  readonly defaultModel: string | null;
  /** The server behind it; null: it answers by itself and needs no key and no network. */
  readonly vendor: Vendor | null;
}

/** How a server is reached. The key never leaves this object but in the header of a request. */
export interface Connection {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Vendor {
  readonly id: ProviderId;
  /** The vendor's own address; null where there is none. */
  readonly baseUrl: string | null;
  /** The environment variable that people keep its key in. */
  readonly keyVariable: string | null;
  /** What its keys begin with; null where they have no shape, and a key of any vendor may belong there. */
  readonly keyPrefix: string | null;
  /** The headers that show the key: `GET /models/NAME` and `GET /models` are questions that cost nothing. */
  headers(connection: Connection): Record<string, string>;
  /** Ways to speak with it, best first; the next is taken where the server does not know one. */
  readonly apis: readonly [WireApi, ...WireApi[]];
  /** The dialects in which programs may ask it in their own words. */
  readonly dialects: readonly string[];
  /** How the form of an answer is asked for, best first. */
  readonly answerModes: readonly [AnswerMode, ...AnswerMode[]];
  /** Changes the body of a request where the package cannot say what is wanted; null: it can. */
  readonly shapeBody: ((body: Record<string, unknown>, request: CompletionRequest) => void) | null;
  /** A package costs 100 to 220 ms to load, so it is loaded with the first call. */
  connect(
    model: string,
    connection: Connection,
    fetch: typeof globalThis.fetch,
    api: WireApi,
  ): Promise<LanguageModelV3>;
}

export function bearer({ apiKey, headers }: Connection): Record<string, string> {
  return { ...headers, ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) };
}
