import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shippedRegistry } from "#core/contracts";
import { type Failpoint, type Result, sha256, systemClock, systemRandom } from "#core/values";
import { PackageInstaller } from "#governance";
import { initWorkspace } from "#operate";
import { buildPackage } from "../../src/governance/packages/build-package.ts";
import { type PackageHome } from "../../src/governance/packages/home.ts";
import { shippedHome } from "../../src/governance/packages/homes.ts";
import { keyHash } from "../../src/governance/packages/signature.ts";

export const testKey: KeyObject = generateKeyPairSync("ed25519").privateKey;

export interface Sketch {
  readonly id?: string;
  readonly version?: string;
  readonly layer?: number;
  readonly spec?: string;
  readonly framework?: string;
  readonly dependencies?: readonly { readonly package_id: string; readonly version?: string }[];
  readonly files?: Readonly<Record<string, string>>;
  readonly capabilities?: object;
  readonly key?: KeyObject | undefined;
}

export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** A small package that resolves to Writ's own governance framework unless told otherwise. */
export function archiveOf(sketch: Sketch = {}): Buffer {
  const files = sketch.files ?? { "skills/example/SKILL.md": "# Example\n" };
  return value(
    buildPackage(
      {
        package_id: sketch.id ?? "PKG-TEST-001",
        version: sketch.version ?? "1.0.0",
        layer: sketch.layer ?? 4,
        plane_id: "ho1",
        spec_id: sketch.spec ?? "SPEC-WORKSPACE-001",
        framework_id: sketch.framework ?? "FMWK-000",
        ...(sketch.dependencies ? { dependencies: sketch.dependencies } : {}),
        ...(sketch.capabilities ? { capabilities: sketch.capabilities } : {}),
      },
      Object.entries(files).map(([path, text]) => ({ path, bytes: Buffer.from(text), executable: false })),
      { schemas: shippedRegistry(), key: "key" in sketch ? sketch.key : testKey },
    ),
  ).archive;
}

export interface PackageBench extends AsyncDisposable {
  readonly root: string;
  readonly key: KeyObject;
  installer(options?: { readonly beneath?: readonly PackageHome[]; readonly failpoint?: Failpoint }): PackageInstaller;
}

/** A fresh workspace that trusts the test's key. */
export async function packageBench(): Promise<PackageBench> {
  const root = mkdtempSync(join(tmpdir(), "writ-packages-"));
  value(await initWorkspace(root));
  const workspaceKey = createPrivateKey(readFileSync(join(root, "planes/hot/keys/signing.pem"), "utf8"));
  return {
    root,
    key: workspaceKey,
    installer: ({ beneath = [shippedHome], failpoint } = {}) =>
      new PackageInstaller({
        root,
        schemas: shippedRegistry(),
        clock: systemClock,
        random: systemRandom,
        trust: { build: buildKey(), workspace: keyHash(workspaceKey), roots: [keyHash(testKey)] },
        workspaceKey,
        lockWaitMs: 20_000,
        beneath,
        ...(failpoint ? { failpoint } : {}),
      }),
    async [Symbol.asyncDispose]() {
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export function buildKey(): string {
  const text = readFileSync(join(shippedHome.root, shippedHome.folder, "build_key.json"), "utf8");
  return (JSON.parse(text) as { key_sha256: string }).key_sha256;
}

/** Every file of a tree by its hash; the lock and what is named in `except` apart. */
export function treeOf(
  root: string,
  except: RegExp = /^(packages\/\.lock|planes\/)/,
): Readonly<Record<string, string>> {
  const tree: Record<string, string> = {};
  for (const path of readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted()) {
    const full = join(root, path);
    if (except.test(path) || !existsSync(full) || !statSync(full).isFile()) continue;
    tree[path] = sha256(readFileSync(full));
  }
  return tree;
}
