import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { FileChange } from "./decide-install.ts";
import type { HomeEvidence, InstalledPackage } from "./home.ts";

/** Which files go with a package; refused while another package needs it, or when one of its files was changed by hand. */
export function decideRemove(
  package_id: string,
  target: HomeEvidence,
): Result<{ readonly installed: InstalledPackage; readonly changes: readonly FileChange[] }> {
  const installed = target.packages.find(({ manifest }) => manifest.package_id === package_id);
  if (!installed)
    return err(
      domainError("NOT_FOUND", `the package ${package_id} is not installed here`, {
        details: { hint: "writ pkg list shows what is" },
      }),
    );
  const needing = target.packages.filter(({ manifest }) =>
    (manifest.dependencies ?? []).some((dependency) => dependency.package_id === package_id),
  );
  if (needing.length > 0)
    return err(
      domainError(
        "PACKAGE_CONFLICT",
        `${needing.map(({ manifest }) => manifest.package_id).join(", ")} need ${package_id}: remove them first`,
      ),
    );
  for (const { path, sha256 } of installed.manifest.assets) {
    const found = target.files.get(path) ?? { state: "missing" };
    if (found.state !== "missing" && !(found.state === "file" && found.sha256 === sha256))
      return err(
        domainError(
          "PACKAGE_CONFLICT",
          `${path} was changed by hand and would be lost: move it aside, or put it back with writ pkg verify --repair`,
        ),
      );
  }
  return ok({
    installed,
    changes: installed.manifest.assets.map(({ path }) => ({ path, bytes: null, executable: false })),
  });
}
