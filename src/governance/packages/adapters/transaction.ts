import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PackageTransactionV1, SchemaRegistry } from "#core/contracts";
import { domainError, isMissing, messageOf } from "#core/errors";
import { removeWholeTree, syncFolderNow } from "#core/machine";
import { canonicalJson, err, type Failpoint, noFailpoints, ok, parseJson, type Result, sha256 } from "#core/values";
import { workspacePath } from "../../paths/workspace-path.ts";
import { isGitFolder } from "../asset-path.ts";
import type { FileChange } from "../decide-install.ts";
import type { PackageHome } from "../home.ts";
import { makeParents, pruneParents, removeFile, replaceDurably, writeDurably } from "./disk.ts";
import { readPlain } from "./home-reader.ts";

type Step = PackageTransactionV1["steps"][number];
type Begun = Pick<PackageTransactionV1, "transaction_id" | "kind" | "package_id">;

/*
 *   nothing ──stage──► staged ──journal on disk──► forward ──every file verified──► done
 *                        │ killed: thrown away        │ a file is not what was staged
 *                        ▼                            ▼
 *                      old tree                     back ──────► old tree
 */

/** A change whose process died, and what became of it. */
export interface RecoveredChange {
  readonly home: PackageHome["name"];
  readonly kind: PackageTransactionV1["kind"];
  readonly package_id: string;
  /** `cleared`: it had changed nothing yet. `taken back`: it could not be finished, and the old tree is back. */
  readonly outcome: "finished" | "taken back" | "cleared";
}

/** Whether an install, removal or repair is under way in a home or was when its process died, its staging included. */
export function isUnfinished(home: PackageHome): boolean {
  return isUnderWay(home) || stagedIn(home).length > 0;
}

/** The same once the tree itself may be changed. */
export function isUnderWay(home: PackageHome): boolean {
  return existsSync(journalOf(home));
}

/** Changes the tree as one: staged and verified first, then journaled, then moved into place. The caller holds the lock. */
export function commitChanges(
  home: PackageHome,
  transaction: Begun,
  changes: readonly FileChange[],
  failpoint: Failpoint = noFailpoints,
): Result<void> {
  const folder = join(stagingOf(home), transaction.transaction_id);
  try {
    const steps = stage(home, folder, changes, { transaction, failpoint });
    failpoint("staged");
    for (const [index, step] of steps.entries())
      if (step.sha256 !== null && sha256(readPlain(join(folder, "new", String(index)))) !== step.sha256)
        return abandon(folder, `${step.path} changed in staging: expected the hash ${step.sha256}`);
    const journal: PackageTransactionV1 = {
      ...transaction,
      direction: "forward",
      steps: [...steps],
      schema_version: "v1",
    };
    failpoint("verified");
    replaceDurably(journalOf(home), Buffer.from(`${canonicalJson(journal)}\n`));
    failpoint("journaled");
    return settle(home, journal, failpoint);
  } catch (thrown) {
    if (isUnderWay(home)) return failed(thrown); // the next process that holds the lock finishes what is journaled
    return abandon(folder, messageOf(thrown));
  }
}

/** Finishes what a killed process began, and clears what it had not begun. The caller holds the lock. */
export function recoverChanges(home: PackageHome, schemas: SchemaRegistry): Result<readonly RecoveredChange[]> {
  try {
    const recovered: RecoveredChange[] = [];
    const staged = stagedIn(home);
    if (isUnderWay(home)) {
      const text = readPlain(journalOf(home)).toString("utf8");
      const parsed = parseJson(text);
      const journal = parsed.ok ? schemas.validate("package_transaction_v1", parsed.value) : parsed;
      if (!journal.ok)
        return err(
          domainError(
            "PACKAGE_REFUSED",
            `the journal ${home.folder}/.journal.json is not valid: ${journal.error.message}`,
          ),
        );
      const stray = journal.value.steps.find(({ path }) => !isInside(path));
      if (stray)
        return err(
          domainError(
            "PACKAGE_REFUSED",
            `the journal ${home.folder}/.journal.json names ${JSON.stringify(stray.path)}, which lies outside`,
          ),
        );
      const settled = settle(home, journal.value, noFailpoints);
      if (!settled.ok && isUnderWay(home)) return settled;
      const { kind, package_id } = journal.value;
      recovered.push({ home: home.name, kind, package_id, outcome: settled.ok ? "finished" : "taken back" });
    }
    removeFile(`${journalOf(home)}.new`); // a journal that never came into force
    for (const name of staged) {
      const about =
        readIfThere(join(stagingOf(home), name, "about"))
          ?.toString("utf8")
          .split(" ") ?? [];
      const [kind, package_id] = about;
      if (recovered.length === 0 && isKind(kind) && package_id !== undefined)
        recovered.push({ home: home.name, kind, package_id, outcome: "cleared" });
      removeWholeTree(join(stagingOf(home), name));
    }
    return ok(recovered);
  } catch (thrown) {
    return failed(thrown);
  }
}

function stage(
  home: PackageHome,
  folder: string,
  changes: readonly FileChange[],
  { transaction: { kind, package_id }, failpoint }: { readonly transaction: Begun; readonly failpoint: Failpoint },
): readonly Step[] {
  mkdirSync(join(folder, "new"), { recursive: true, mode: 0o700 });
  mkdirSync(join(folder, "old"), { mode: 0o700 });
  writeDurably(join(folder, "about"), Buffer.from(`${kind} ${package_id}`), 0o600); // names it where no journal does yet
  const steps = changes.map(({ path, bytes, executable }, index): Step => {
    const before = readIfThere(join(home.root, path));
    if (bytes) writeDurably(join(folder, "new", String(index)), bytes, executable ? 0o755 : 0o644);
    if (before) writeDurably(join(folder, "old", String(index)), before, 0o600);
    failpoint("staging");
    return { path, sha256: bytes ? sha256(bytes) : null, before: before ? sha256(before) : null, executable };
  });
  for (const each of ["new", "old", "."]) syncFolderNow(join(folder, each));
  return steps;
}

function settle(home: PackageHome, journal: PackageTransactionV1, failpoint: Failpoint): Result<void> {
  const folder = join(stagingOf(home), journal.transaction_id);
  let wrong = journal.direction === "back" ? "it was being taken back" : undefined;
  if (journal.direction === "forward") {
    try {
      wrong = goForward(home, folder, journal.steps, failpoint);
    } catch (thrown) {
      wrong = messageOf(thrown); // a full disk, or something in the way: the old tree is still at hand
    }
    if (wrong !== undefined)
      replaceDurably(journalOf(home), Buffer.from(`${canonicalJson({ ...journal, direction: "back" })}\n`));
  }
  if (wrong !== undefined) goBack(home, folder, journal.steps);
  syncFolders(home, journal.steps);
  failpoint("settled");
  removeFile(journalOf(home));
  syncFolderNow(join(home.root, home.folder));
  failpoint("ended");
  removeWholeTree(folder);
  return wrong === undefined
    ? ok(undefined)
    : err(
        domainError("PACKAGE_REFUSED", `nothing was changed: ${wrong}`, {
          details: { package_id: journal.package_id },
        }),
      );
}

/** Every step may be done already: a killed process's successor does them again. Answers what is not as it was staged. */
function goForward(
  home: PackageHome,
  folder: string,
  steps: readonly Step[],
  failpoint: Failpoint,
): string | undefined {
  for (const [index, step] of steps.entries()) {
    const target = join(home.root, step.path);
    const staged = join(folder, "new", String(index));
    if (step.sha256 === null) removeFile(target);
    else if (existsSync(staged)) {
      makeParents(home.root, step.path);
      renameSync(staged, target);
    }
    failpoint("moved");
  }
  for (const { path, sha256: expected } of steps) {
    const found = readIfThere(join(home.root, path));
    const hash = found ? sha256(found) : null;
    if (hash !== expected) return `${path}: expected the hash ${expected ?? "(no file)"}, found ${hash ?? "(no file)"}`;
  }
  for (const step of steps) if (step.sha256 === null) pruneParents(home.root, step.path);
  return undefined;
}

function goBack(home: PackageHome, folder: string, steps: readonly Step[]): void {
  for (const [index, step] of steps.entries()) {
    const target = join(home.root, step.path);
    if (step.before === null) {
      removeFile(target);
      pruneParents(home.root, step.path);
      continue;
    }
    const bytes = readPlain(join(folder, "old", String(index)));
    makeParents(home.root, step.path);
    const again = join(folder, "again");
    removeFile(again);
    writeDurably(again, bytes, step.executable === true ? 0o755 : 0o644);
    renameSync(again, target);
  }
}

function syncFolders(home: PackageHome, steps: readonly Step[]): void {
  const folders = new Set(steps.map(({ path }) => dirname(join(home.root, path))));
  for (const folder of folders) if (existsSync(folder)) syncFolderNow(folder);
}

function isInside(path: string): boolean {
  const inside = workspacePath(path);
  return inside.ok && inside.value === path && !path.split("/").some(isGitFolder);
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readPlain(path);
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

function abandon(folder: string, why: string): Result<never> {
  removeWholeTree(folder);
  return err(domainError("PACKAGE_REFUSED", `nothing was changed: ${why}`));
}

function failed(thrown: unknown): Result<never> {
  return err(
    domainError(
      "STORE_UNAVAILABLE",
      `the change could not be finished and goes on with the next command: ${messageOf(thrown)}`,
      {
        cause: thrown,
      },
    ),
  );
}

function journalOf(home: PackageHome): string {
  return join(home.root, home.folder, ".journal.json");
}

function isKind(kind: string | undefined): kind is Begun["kind"] {
  return kind === "install" || kind === "remove" || kind === "repair";
}

function stagedIn(home: PackageHome): readonly string[] {
  return existsSync(stagingOf(home)) ? readdirSync(stagingOf(home)) : [];
}

function stagingOf(home: PackageHome): string {
  return join(home.root, home.folder, ".staging");
}
