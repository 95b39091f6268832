import type { KeyObject } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Answer, Invocation, Opens } from "#core/commands";
import { domainError, messageOf } from "#core/errors";
import { err, ok, type Result } from "#core/values";

export interface BuildOptions {
  readonly out?: string;
  readonly key?: string;
}

export interface BuildParts {
  readonly "workspace or none": Opens<{ readonly root: string | undefined }>;
}

/** `writ pkg build`: signed with the key that was named, or else with the key of the workspace around, if there is one. */
export async function buildToFile(opens: BuildParts, invocation: Invocation<BuildOptions>): Promise<Result<Answer>> {
  const { context, options } = invocation;
  const { openWorkspacePackages } = await import("../packages/open-packages.ts");
  const { readPrivateKey } = await import("../packages/homes.ts");
  if (options.key !== undefined) {
    const key = await readPrivateKey(resolve(context.cwd, options.key));
    return key.ok ? buildWith(key.value, invocation) : key;
  }
  return opens["workspace or none"](async ({ root }) => {
    if (root === undefined) return buildWith(undefined, invocation);
    const { clock, random, env } = context;
    const packages = await openWorkspacePackages({ root, clock, random, env });
    return packages.ok ? buildWith(packages.value.workspaceKey, invocation) : packages;
  });
}

async function buildWith(key: KeyObject | undefined, invocation: Invocation<BuildOptions>): Promise<Result<Answer>> {
  const { context, options } = invocation;
  const { buildFromFolder } = await import("../packages/open-packages.ts");
  const built = await buildFromFolder(resolve(context.cwd, invocation.arguments[0] ?? ""), key);
  if (!built.ok) return built;
  const { manifest, archive, archive_sha256, key_sha256 } = built.value;
  const file = options.out ?? `${manifest.package_id}-${manifest.version}.tar`;
  const target = resolve(context.cwd, file);
  const staged = `${target}.${Buffer.from(context.random.bytes(6)).toString("hex")}.new`;
  try {
    await writeFile(staged, archive, { flag: "wx" });
    await rename(staged, target);
  } catch (thrown) {
    await rm(staged, { force: true });
    return err(domainError("MALFORMED_INPUT", `${file} cannot be written: ${messageOf(thrown)}`, { cause: thrown }));
  }
  const { package_id, version, assets } = manifest;
  return ok({
    json: { package_id, version, file: target, files: assets.length, archive_sha256, key_sha256 },
    text: (screen) =>
      `${screen.green(screen.sign.ok)} ${file}: ${package_id} ${version}, ${assets.length} ${assets.length === 1 ? "file" : "files"}\n  sha256 ${archive_sha256}\n  ${key_sha256 === null ? "not signed: name a key with --key" : `signed with ${key_sha256}`}\n`,
  });
}
