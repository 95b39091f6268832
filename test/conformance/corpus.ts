import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** One recorded exchange with a real model. */
export interface Exchange {
  readonly source: string;
  readonly path: string;
  readonly index: number;
  readonly vendor: string;
  readonly format: "anthropic" | "chat" | "responses" | "google";
  readonly model: string | null;
  readonly stream: boolean;
  readonly status: number;
  readonly request: Record<string, unknown> | null;
  /** The body as it came; of a stream the whole text of its events. */
  readonly response: string;
}

/** The exchanges of a folder of `*.jsonl.gz` or `*.jsonl`; undefined when there is no such folder. */
export function readCorpus(folder: string): readonly Exchange[] | undefined {
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder).filter((name) => /\.jsonl(?:\.gz)?$/.test(name));
  return files.toSorted().flatMap((name) => {
    const bytes = readFileSync(join(folder, name));
    const text = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Exchange);
  });
}

export function nameOf({ source, path, index }: Exchange): string {
  return `${source} ${path.replace(/^.*(?:cassettes|__recordings__|__fixtures__)\//, "")}#${index}`;
}

/** The provider of Writ that speaks the format of an exchange. */
export function kindOf({ format }: Exchange): "anthropic" | "openai" | "google" | "openai-compatible" {
  if (format === "anthropic" || format === "google") return format;
  return format === "responses" ? "openai" : "openai-compatible";
}
