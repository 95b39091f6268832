import { dirname, join, resolve } from "node:path";
import { domainError } from "#core/errors";
import { err, type Files, ok, type Result } from "#core/values";
import { configFileName } from "./config/load-config.ts";

/** The workspace that was named, or the nearest folder at or above `cwd` that is one. */
export async function findWorkspace(options: {
  readonly cwd: string;
  readonly root?: string | undefined;
  readonly files: Files;
  /** Where no folder has a `writ.yaml`, one with records is a workspace too: what stops and proves works without its configuration. */
  readonly byRecords?: boolean;
}): Promise<Result<string>> {
  const byConfig = await findBy(configFileName, options);
  if (byConfig.ok || !options.byRecords || byConfig.error.code !== "WORKSPACE_NOT_FOUND") return byConfig;
  const found = await findBy(join("planes", "hot"), options);
  return found.ok ? found : byConfig;
}

async function findBy(
  sign: string,
  { cwd, root, files }: { readonly cwd: string; readonly root?: string | undefined; readonly files: Files },
): Promise<Result<string>> {
  const holdsWorkspace = async (folder: string): Promise<Result<boolean>> => {
    const found = await files.stat(join(folder, sign));
    return found.ok ? ok(found.value !== undefined) : found;
  };
  if (root !== undefined) {
    const folder = resolve(cwd, root);
    const there = await holdsWorkspace(folder);
    if (!there.ok) return there;
    return there.value
      ? ok(folder)
      : err(notAWorkspace(`${folder} is not a workspace: it holds no ${configFileName}`, `writ init ${quoted(root)}`));
  }
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const there = await holdsWorkspace(folder);
    if (!there.ok) return there;
    if (there.value) return ok(folder);
    if (folder === dirname(folder)) break;
  }
  return err(
    notAWorkspace(
      `no workspace here: neither ${resolve(cwd)} nor a folder above it holds a ${configFileName}`,
      "writ init",
    ),
  );
}

function notAWorkspace(message: string, command: string) {
  return domainError("WORKSPACE_NOT_FOUND", message, {
    details: { hint: `make one with \`${command}\`, or name one with --root DIR` },
  });
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
