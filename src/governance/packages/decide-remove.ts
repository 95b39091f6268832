import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { type FileChange, inTheWay, localPackage } from "./decide-install.ts";
import type { FoundFile, HomeEvidence, InstalledPackage } from "./home.ts";
import { receiptNames } from "./receipt.ts";

export interface RemovePlan {
  readonly installed: InstalledPackage;
  readonly changes: readonly FileChange[];
  /** What people wrote and the removal would take away: files of the package that they changed, and files that they added. */
  readonly losses: readonly string[];
}

/** The tree as it lies there now, beyond what the gates judge. */
interface Tree {
  find(path: string): FoundFile;
  /** Every file under a folder. */
  under(folder: string): readonly string[];
}

/** Which files go with a package; refused while another package needs it. */
export function decideRemove(package_id: string, target: HomeEvidence, tree: Tree): Result<RemovePlan> {
  const installed = target.packages.find(({ manifest }) => manifest.package_id === package_id);
  if (!installed)
    return err(
      domainError("NOT_FOUND", `the package ${package_id} is not installed here`, {
        details: { hint: "writ pkg list shows what is" },
      }),
    );
  const others = target.packages.filter((each) => each !== installed);
  const needing = others.filter(({ manifest }) =>
    (manifest.dependencies ?? []).some((dependency) => dependency.package_id === package_id),
  );
  if (needing.length > 0)
    return err(
      domainError(
        "PACKAGE_CONFLICT",
        `${needing.map(({ manifest }) => manifest.package_id).join(", ")} need ${package_id}: remove them first`,
      ),
    );
  const own = new Map(installed.manifest.assets.map(({ path, sha256 }) => [path, sha256]));
  const receipts = receiptNames.map((name) => `${target.home.folder}/${package_id}/${name}`);
  const added = foldersOf(package_id, [...own.keys(), ...receipts], others)
    .flatMap((folder) => tree.under(folder))
    .filter((path) => !own.has(path) && !receipts.includes(path));
  const losses: string[] = [];
  for (const path of [...own.keys(), ...added]) {
    const found = tree.find(path);
    if (found.state === "other") return err(inTheWay(path, found.what));
    const asInstalled = package_id !== localPackage && found.state === "file" && found.sha256 === own.get(path);
    if (found.state === "file" && !asInstalled) losses.push(path);
  }
  const changes = [...own.keys(), ...added, ...receipts].map((path) => ({ path, bytes: null, executable: false }));
  return ok({ installed, changes, losses });
}

/**
 * The folders that are this package's alone: a skill, a framework, its registries, its own. What people add there makes no sense
 * without it; beside its cycles, hooks and agents people keep their own.
 */
function foldersOf(
  package_id: string,
  paths: readonly string[],
  others: readonly InstalledPackage[],
): readonly string[] {
  const folderOf = (path: string) => path.split("/").slice(0, 2).join("/");
  const shared = new Set(others.flatMap(({ manifest }) => manifest.assets.map(({ path }) => folderOf(path))));
  const deep = paths.filter((path) => path.split("/").length > 2).map(folderOf);
  return [...new Set(deep)].filter(
    (folder) => !shared.has(folder) && (/^(skills|frameworks)\//.test(folder) || folder.endsWith(`/${package_id}`)),
  );
}
