import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOfError, domainError, messageOf } from "#core/errors";
import { packageRoot } from "#core/machine";
import { err, isJsonObject, ok, parseJson, type Result } from "#core/values";
import type { WritConfig } from "#workspace";
import { type PackageHome } from "./home.ts";
import { keyHash } from "./signature.ts";
import { type Trust } from "./trust.ts";

/** What Writ ships: contracts at the top of its folder, receipts beside the compiled code. */
export const shippedHome: PackageHome = { name: "shipped", root: packageRoot, folder: "dist/packages" };

/** The public part of the key that was made for the build, signed its packages and was thrown away. */
export const buildKeyFile = "dist/packages/build_key.json";

export function workspaceHome(root: string): PackageHome {
  return { name: "workspace", root, folder: "packages" };
}

export async function readTrust(config: WritConfig, workspaceKey: KeyObject): Promise<Trust> {
  return { build: await readBuildKey(), workspace: keyHash(workspaceKey), roots: config.packages.trust_roots };
}

async function readBuildKey(): Promise<string | null> {
  try {
    const parsed = parseJson(await readFile(join(packageRoot, buildKeyFile), "utf8"));
    const hash = parsed.ok && isJsonObject(parsed.value) ? parsed.value["key_sha256"] : undefined;
    return typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash) ? hash : null;
  } catch (thrown) {
    if (codeOfError(thrown) === "ENOENT") return null;
    throw thrown;
  }
}

/** A private Ed25519 key from a PEM file. */
export async function readPrivateKey(file: string): Promise<Result<KeyObject>> {
  try {
    const key = createPrivateKey(await readFile(file, "utf8"));
    if (key.asymmetricKeyType === "ed25519") return ok(key);
    return err(domainError("CONFIG_INVALID", `${file} is not an Ed25519 key`));
  } catch (thrown) {
    return err(
      domainError("CONFIG_INVALID", `the key ${file} cannot be read: ${messageOf(thrown)}`, { cause: thrown }),
    );
  }
}
