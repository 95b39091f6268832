import type { JsonObject } from "#core/values";
import type { OrderInput } from "./write-work-order.ts";

/** What a program lets an agent do, in the words of `writ run`. What is not said is not granted. */
export interface OrderWords {
  /** Tools that may be used without a question, besides those of every request. */
  readonly tools?: readonly string[];
  /** Paths that may be written, besides the workspace's default. */
  readonly allow?: readonly string[];
  /** Files of the class code-that-runs that may be written. */
  readonly allowCode?: readonly string[];
  /** The most tokens, in and out together. */
  readonly tokens?: number;
  /** The most dollars. */
  readonly usd?: number;
  /** The most calls of a model. */
  readonly turns?: number;
  readonly seconds?: number;
  readonly skill?: string;
  readonly profile?: string;
  readonly framework?: string;
  readonly strategy?: string;
  /** Parameters of prompts and attention paths. */
  readonly input?: Readonly<JsonObject>;
}

/** The same as the writer of orders takes it. */
export function orderInputOf({ tokens, usd, turns, seconds, input, ...words }: OrderWords): OrderInput {
  const budget = {
    ...(tokens === undefined ? {} : { token_limit: tokens }),
    ...(usd === undefined ? {} : { usd_limit: usd }),
    ...(turns === undefined ? {} : { turn_limit: turns }),
    ...(seconds === undefined ? {} : { timeout_seconds: seconds }),
  };
  return {
    ...words,
    ...(input === undefined ? {} : { input: { ...input } }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
  };
}
