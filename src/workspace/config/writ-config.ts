import type { WritConfigV1 } from "#core/contracts";

/** A section has all its keys; a map or a list is as the file wrote it. */
type Settled<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? string extends keyof T
      ? T
      : { readonly [K in keyof T]-?: Settled<Exclude<T[K], undefined>> }
    : T;

/**
 * The effective configuration: the file's values over the defaults. Past the loader every key is present, except under `hooks`,
 * where a point without hooks stays absent.
 */
export type WritConfig = Settled<Omit<WritConfigV1, "hooks">> & { readonly hooks: NonNullable<WritConfigV1["hooks"]> };

/** How one model provider is reached, with what a named profile leaves out already filled in. */
export type Profile = Pick<WritConfig, ProfileKey> & { readonly name: string };

type ProfileKey =
  | "provider"
  | "model"
  | "models"
  | "script"
  | "base_url"
  | "api_key"
  | "headers"
  | "record"
  | "replay"
  | "temperature"
  | "reasoning"
  | "max_output_tokens"
  | "fallback";

/** Where a value comes from. */
export type Origin =
  | { readonly from: "default" }
  | { readonly from: "file"; readonly line: number }
  | { readonly from: "environment"; readonly variable: string };

export interface EffectiveConfig {
  readonly config: WritConfig;
  /** By dotted path of each value, such as `limits.payload_bytes`. */
  readonly origins: ReadonlyMap<string, Origin>;
  readonly file: string;
}
