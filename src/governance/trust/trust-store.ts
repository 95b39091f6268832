import { readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { domainError, messageOf } from "#core/errors";
import { makeFolders, replaceFile } from "#core/machine";
import { err, isJsonObject, ok, parseJson, type Result, type Sha256, sha256 } from "#core/values";
import type { ControlSettings } from "#workspace";
import type { DeclaredAction } from "./declared-action.ts";
import type { KeptLimits } from "./kept-limits.ts";

/** What a person agreed to, about one folder. */
export interface TrustRecord {
  readonly root: string;
  readonly digest: Sha256;
  /** As they were shown, so that a later question can say what changed. */
  readonly acts: readonly DeclaredAction[];
  /** The rule files that agents follow, as they were shown. */
  readonly rules?: readonly { readonly path: string; readonly sha256: Sha256 }[];
  /** Where its store and its keys were when it was last used, for commands that must not depend on what the configuration says since. */
  readonly controls?: ControlSettings;
  /** How tight its limits were when this user last used it as agreed to. */
  readonly limits?: KeptLimits;
}

/**
 * What this user knows of workspaces, a file each, so that no two processes write the same one at once:
 *
 *     <folder>/trust/keys/<key id>                   a workspace that this user made, by its signing key
 *     <folder>/trust/workspaces/<hash of the path>   one from elsewhere, as it was when the user agreed
 */
export interface TrustStore {
  knowsKey(key_id: Sha256): Promise<boolean>;
  rememberKey(key_id: Sha256, root: string): Promise<Result<void>>;
  forgetKey(key_id: Sha256): Promise<Result<void>>;
  recordOf(root: string): Promise<TrustRecord | undefined>;
  trust(record: TrustRecord): Promise<Result<void>>;
  forget(root: string): Promise<Result<void>>;
}

/** Both paths real: links are resolved before. */
export function trustStore(folder: string): TrustStore {
  const fileOfKey = (key_id: Sha256) => join(folder, "trust", "keys", key_id);
  const fileOfRoot = (root: string) => join(folder, "trust", "workspaces", sha256(root));
  return {
    knowsKey: async (key_id) => (await read(fileOfKey(key_id))) !== undefined,
    rememberKey: (key_id, root) => attempt(folder, () => put(fileOfKey(key_id), { root })),
    forgetKey: (key_id) => attempt(folder, () => rm(fileOfKey(key_id), { force: true })),
    async recordOf(root) {
      const record = await read(fileOfRoot(root));
      return isRecord(record) && record.root === root ? record : undefined;
    },
    trust: (record) => attempt(folder, () => put(fileOfRoot(record.root), record)),
    forget: (root) => attempt(folder, () => rm(fileOfRoot(root), { force: true })),
  };
}

/** What another user wrote there is not this user's word; what cannot be read says nothing. */
async function read(file: string): Promise<unknown> {
  try {
    const found = await stat(file);
    if (process.getuid !== undefined && found.uid !== process.getuid()) return undefined;
    const parsed = parseJson(await readFile(file, "utf8"));
    return parsed.ok ? parsed.value : undefined;
  } catch {
    return undefined; // no word is no trust
  }
}

function isRecord(value: unknown): value is TrustRecord {
  return (
    isJsonObject(value) &&
    typeof value["root"] === "string" &&
    typeof value["digest"] === "string" &&
    Array.isArray(value["acts"])
  );
}

async function put(file: string, value: object): Promise<void> {
  await makeFolders(dirname(file), 0o700);
  await replaceFile(file, `${JSON.stringify(value, null, 2)}\n`, 0o600);
}

async function attempt(folder: string, work: () => Promise<void>): Promise<Result<void>> {
  try {
    return ok(await work());
  } catch (thrown) {
    return err(
      domainError("STORE_UNAVAILABLE", `${folder} cannot keep what this user trusts: ${messageOf(thrown)}`, {
        details: { where: folder, hint: "set XDG_CONFIG_HOME to a folder that this user may write" },
        cause: thrown,
      }),
    );
  }
}
