import { domainError } from "#core/errors";
import { canonicalJson, err, isJsonObject, ok, parseJson, type Result } from "#core/values";
import type { FlowConfig } from "../../work/flow/flow.ts";
import type { LawStore } from "./contract-store.ts";

/** Under this name `session.start` pins the manifest, and through it every file that it lists. */
export const manifestPin = "law";

/** What a session runs under: each contract file with its hash, and the limits that the configuration set. */
export interface ContractManifest {
  /** By place: `workspace:agents/lead.md`, `shipped:skills/greet/SKILL.md`. */
  readonly files: Readonly<Record<string, string>>;
  readonly flow: FlowConfig;
}

/** Where the contract files lie. */
export interface LawPlaces {
  readonly root: string;
  readonly shipped: string;
}

export function keepManifest(manifest: ContractManifest, store: LawStore): Result<string> {
  return store.keep(canonicalJson(manifest));
}

/** Reads a manifest and brings the files that it lists to this machine. */
export async function readManifest(hash: string | undefined, store: LawStore): Promise<Result<ContractManifest>> {
  if (hash === undefined)
    return err(domainError("LAW_CHANGED", "the session does not say which law it began under: an older Writ began it"));
  const brought = await store.bring([hash]);
  if (!brought.ok) return brought;
  const text = store.read(hash);
  if (!text.ok) return text;
  const parsed = parseJson(text.value);
  if (!parsed.ok || !isJsonObject(parsed.value) || !isJsonObject(parsed.value["files"]))
    return err(domainError("LEDGER_CORRUPT", `planes/hot/law/${hash} is no manifest of the law`));
  const manifest = parsed.value as unknown as ContractManifest; // its hash is the one that the log names, so Writ itself wrote it
  const files = await store.bring(Object.values(manifest.files));
  return files.ok ? ok(manifest) : files;
}

export function placeOf(path: string, { root, shipped }: LawPlaces): string {
  if (path.startsWith(`${root}/`)) return `workspace:${path.slice(root.length + 1)}`;
  return path.startsWith(`${shipped}/`) ? `shipped:${path.slice(shipped.length + 1)}` : path;
}

export function pathOf(place: string, { root, shipped }: LawPlaces): string {
  if (place.startsWith("workspace:")) return `${root}/${place.slice("workspace:".length)}`;
  return place.startsWith("shipped:") ? `${shipped}/${place.slice("shipped:".length)}` : place;
}
