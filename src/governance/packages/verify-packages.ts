import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { nodeFiles } from "#core/machine";
import { type Clock, err, ok, type Random, type Result, sha256 } from "#core/values";
import { type Finding } from "../gates/gate.ts";
import { HomeReader } from "./adapters/home-reader.ts";
import { withPackageLock } from "./adapters/package-lock.ts";
import { commitChanges, isUnfinished, type RecoveredChange, recoverChanges } from "./adapters/transaction.ts";
import { openArchive } from "./archive.ts";
import { type FileChange } from "./decide-install.ts";
import { type PackageHome } from "./home.ts";
import { keepCopies } from "./keep-copies.ts";
import { readArchive } from "./read-archive.ts";

export interface PackageVerification {
  readonly ok: boolean;
  readonly packages: number;
  readonly files: number;
  readonly findings: readonly Finding[];
  /** Paths that were put back, where asked to. */
  readonly repaired: readonly string[];
  /** Installs, removals and repairs that were interrupted, and what became of them. */
  readonly recovered: readonly RecoveredChange[];
  /** Where copies of what people wrote lie, where a repair replaced it. */
  readonly kept: readonly string[];
}

interface Total {
  packages: number;
  files: number;
  readonly findings: Finding[];
  readonly repaired: string[];
  readonly recovered: RecoveredChange[];
  readonly kept: string[];
}

interface VerifyOptions {
  readonly homes: readonly PackageHome[];
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly lockWaitMs: number;
  readonly repair: boolean;
}

/**
 * Finishes what a killed process began, holds every installed file against the archive that its receipt names, and puts back
 * what differs when asked to.
 */
export async function verifyPackages(options: VerifyOptions): Promise<Result<PackageVerification>> {
  const total: Total = { packages: 0, files: 0, findings: [], repaired: [], recovered: [], kept: [] };
  for (const home of options.homes) {
    const lock = { clock: options.clock, waitMs: options.lockWaitMs };
    // Only a repair or what was interrupted needs the lock: a home that this process may not write can still be verified.
    const unfinished = isUnfinished(home);
    const done =
      options.repair || unfinished
        ? await withPackageLock(home, lock, () => recoverAndVerify(home, options, total))
        : await verifyHome(home, options, total);
    if (!done.ok && (options.repair || !unfinished)) return done;
    if (!done.ok)
      total.findings.push({
        subject: `${home.folder}/.journal.json`,
        message: `an install was interrupted in ${home.folder}/ and cannot be finished: ${done.error.message}`,
        repair: "writ pkg verify, as a user who may write there",
      });
  }
  return ok({ ok: total.findings.length === 0, ...total });
}

/** The caller holds the lock: without it, what is unfinished may be an install that another process is just making. */
async function recoverAndVerify(home: PackageHome, options: VerifyOptions, total: Total): Promise<Result<void>> {
  const recovered = recoverChanges(home, options.schemas);
  if (!recovered.ok) return recovered;
  total.recovered.push(...recovered.value);
  return verifyHome(home, options, total);
}

async function verifyHome(home: PackageHome, options: VerifyOptions, total: Total): Promise<Result<void>> {
  const { schemas, clock, random, repair } = options;
  const folders = await nodeFiles.list(`${home.root}/${home.folder}`);
  if (!folders.ok) return folders;
  const reader = new HomeReader({ home, schemas, clock });
  for (const { name } of folders.value.filter((each) => each.type === "folder" && each.name.startsWith("PKG-"))) {
    total.packages += 1;
    const intended = await intendedFiles(home, name, schemas);
    if (!intended.ok) {
      total.findings.push({ subject: name, message: intended.error.message, repair: "writ pkg install FILE again" });
      continue;
    }
    total.files += intended.value.length;
    const changed = intended.value.filter(({ path, bytes }) => !isAs(reader, path, bytes));
    if (changed.length === 0) continue;
    if (!repair) {
      total.findings.push(...changed.map(({ path, bytes }) => finding(reader, path, bytes)));
      continue;
    }
    const transaction_id = Buffer.from(random.bytes(12)).toString("hex");
    const written = changed.map(({ path }) => path).filter((path) => reader.find(path).state === "file");
    const copies = keepCopies(home, `${name}-${transaction_id.slice(0, 16)}`, written);
    const begun = { transaction_id, kind: "repair", package_id: name } as const;
    const done = commitChanges(home, begun, [...(copies?.changes ?? []), ...changed]);
    if (!done.ok) return err(done.error);
    if (copies) total.kept.push(copies.folder);
    total.repaired.push(...changed.map(({ path }) => path));
  }
  return ok(undefined);
}

/** Every file of a package as its archive has it, the copies beside the receipt included. */
async function intendedFiles(
  home: PackageHome,
  package_id: string,
  schemas: SchemaRegistry,
): Promise<Result<readonly FileChange[]>> {
  const folder = `${home.folder}/${package_id}`;
  const text = await nodeFiles.readText(`${home.root}/${folder}/receipt.json`);
  if (!text.ok) return text;
  const { readContract } = await import("../../core/contracts/read-contract.ts");
  const receipt = readContract(schemas, "package_receipt_v1", { file: `${folder}/receipt.json`, text: text.value });
  if (!receipt.ok) return receipt;
  const archive = await readArchive(`${home.root}/${folder}/archive.tar`);
  if (!archive.ok) return archive;
  const { archive_sha256 } = receipt.value as { archive_sha256: string };
  if (sha256(archive.value) !== archive_sha256) return err(damaged(folder, archive_sha256, sha256(archive.value)));
  const opened = openArchive(archive.value, schemas);
  if (!opened.ok) return opened;
  const { assets, manifestBytes, signatureBytes } = opened.value;
  const copy = (name: string, bytes: Uint8Array): FileChange => ({
    path: `${folder}/${name}`,
    bytes,
    executable: false,
  });
  return ok([
    ...assets,
    copy("manifest.json", manifestBytes),
    ...(signatureBytes ? [copy("signature.json", signatureBytes)] : []),
  ]);
}

function isAs(reader: HomeReader, path: string, bytes: Uint8Array | null): boolean {
  const found = reader.find(path);
  return found.state === "file" && bytes !== null && found.sha256 === sha256(bytes);
}

function finding(reader: HomeReader, path: string, bytes: Uint8Array | null): Finding {
  const found = reader.find(path);
  return {
    subject: path,
    message: `${path} ${found.state === "missing" ? "is missing" : "was changed"}`,
    ...(bytes === null ? {} : { expected: sha256(bytes) }),
    found: found.state === "file" ? found.sha256 : found.state === "missing" ? "no file" : found.what,
    repair: "writ pkg verify --repair",
  };
}

function damaged(folder: string, expected: string, found: string) {
  return domainError(
    "PACKAGE_REFUSED",
    `${folder}/archive.tar is damaged: expected the hash ${expected}, found ${found}`,
  );
}

/** In words, for `writ pkg verify` and the doctor. */
export function describeRecovered({ kind, package_id, outcome }: RecoveredChange): string {
  const what = `${{ install: "the install", remove: "the removal", repair: "the repair" }[kind]} of ${package_id}`;
  const became = {
    finished: "it is finished now",
    "taken back": "it could not be finished and is taken back",
    cleared: "it had changed nothing, and its staging is cleared",
  };
  return `${what} was interrupted: ${became[outcome]}`;
}
