import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { nodeFiles } from "#core/machine";
import { type Clock, err, ok, type Random, type Result, sha256 } from "#core/values";
import { type Finding } from "../gates/gate.ts";
import { HomeReader } from "./adapters/home-reader.ts";
import { withPackageLock } from "./adapters/package-lock.ts";
import { commitChanges, recoverChanges } from "./adapters/transaction.ts";
import { openArchive } from "./archive.ts";
import { type FileChange } from "./decide-install.ts";
import { type PackageHome } from "./home.ts";
import { readArchive } from "./read-archive.ts";

export interface PackageVerification {
  readonly ok: boolean;
  readonly packages: number;
  readonly files: number;
  readonly findings: readonly Finding[];
  /** Paths that were put back, where asked to. */
  readonly repaired: readonly string[];
}

interface VerifyOptions {
  readonly homes: readonly PackageHome[];
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly lockWaitMs: number;
  readonly repair: boolean;
}

/** Holds every installed file against the archive that its receipt names, and puts back what differs when asked to. */
export async function verifyPackages(options: VerifyOptions): Promise<Result<PackageVerification>> {
  const total = { packages: 0, files: 0, findings: [] as Finding[], repaired: [] as string[] };
  for (const home of options.homes) {
    const work = () => verifyHome(home, options, total);
    const lock = { clock: options.clock, waitMs: options.lockWaitMs };
    // Only a repair needs the lock: a home that this process may not write can still be verified.
    const done = options.repair ? await withPackageLock(home, lock, work) : await work();
    if (!done.ok) return done;
  }
  return ok({ ok: total.findings.length === 0, ...total });
}

async function verifyHome(
  home: PackageHome,
  options: VerifyOptions,
  total: { packages: number; files: number; findings: Finding[]; repaired: string[] },
): Promise<Result<void>> {
  const { schemas, clock, random, repair } = options;
  if (repair) {
    const recovered = recoverChanges(home, schemas);
    if (!recovered.ok) return recovered;
  }
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
    const done = commitChanges(home, { transaction_id, kind: "repair", package_id: name }, changed);
    if (!done.ok) return err(done.error);
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
