import { domainError } from "#core/errors";
import { canonicalJson, err, isJsonObject, ok, parseJson, type Result, sha256 } from "#core/values";
import type { ContractStore, KeptText } from "./contract-store.ts";

/** Under this name `session.start` pins the manifest, and through it every file that it lists. */
export const manifestPin = "law";

/** What a session runs under: each contract file with its hash, and the limits that the configuration set. */
export interface ContractManifest {
  /** By place: `workspace:agents/lead.md`, `shipped:skills/greet/SKILL.md`. */
  readonly files: Readonly<Record<string, string>>;
  /** Written and read by the flow, which knows its limits; here it is carried whole. */
  readonly flow: object;
}

/** Where the contract files lie. */
export interface ContractRoots {
  readonly root: string;
  readonly shipped: string;
}

/** Stores the contracts and the manifest that lists them. Answers the manifest's hash. */
export async function keepManifest(
  manifest: ContractManifest,
  contracts: readonly KeptText[],
  store: ContractStore,
): Promise<Result<string>> {
  const text = canonicalJson(manifest);
  const hash = sha256(text);
  const kept = await store.keep([...contracts, { hash, text }]);
  return kept.ok ? ok(hash) : kept;
}

/** Reads a manifest and brings the files that it lists to this machine. */
export async function readManifest(hash: string | undefined, store: ContractStore): Promise<Result<ContractManifest>> {
  if (hash === undefined)
    return err(domainError("LAW_CHANGED", "the session does not say which law it began under: an older Writ began it"));
  const brought = await store.bring([hash]);
  if (!brought.ok) return brought;
  const text = store.read(hash);
  if (!text.ok) return text;
  const parsed = parseJson(text.value);
  if (!parsed.ok || !isManifest(parsed.value))
    return err(domainError("LEDGER_CORRUPT", `planes/hot/law/${hash} is no manifest of the law`));
  const files = await store.bring(Object.values(parsed.value.files));
  return files.ok ? ok(parsed.value) : files;
}

function isManifest(value: unknown): value is ContractManifest {
  if (!isJsonObject(value) || !isJsonObject(value["flow"]) || !isJsonObject(value["files"])) return false;
  return Object.values(value["files"]).every((hash) => typeof hash === "string");
}

export function placeOf(path: string, { root, shipped }: ContractRoots): string {
  if (path.startsWith(`${root}/`)) return `workspace:${path.slice(root.length + 1)}`;
  return path.startsWith(`${shipped}/`) ? `shipped:${path.slice(shipped.length + 1)}` : path;
}

export function pathOf(place: string, { root, shipped }: ContractRoots): string {
  if (place.startsWith("workspace:")) return `${root}/${place.slice("workspace:".length)}`;
  return place.startsWith("shipped:") ? `${shipped}/${place.slice("shipped:".length)}` : place;
}
