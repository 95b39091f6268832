import type { KeyObject } from "node:crypto";
import { join } from "node:path";
import { ledgerRules, parseYaml, shippedRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { nodeFiles } from "#core/machine";
import { type Clock, err, ok, type Random, type Result } from "#core/values";
import { type LogReader } from "#log";
import { loadVerifyingKey, type Verification, type VerifiedSessions, verifyAll } from "#proof";
import type { WritConfig } from "#workspace";
import { type Environment, loadConfig } from "#workspace";
import { GateService } from "../gates/gate-service.ts";
import { markOfSession, SessionMemory } from "../gates/session-memory.ts";
import { hookFiles } from "../hooks/hook-files.ts";
import { sessionAudits } from "../values/session-audits.ts";
import { HomeReader } from "./adapters/home-reader.ts";
import { readFolder } from "./adapters/read-folder.ts";
import { governedFolders } from "./asset-path.ts";
import { buildPackage } from "./build-package.ts";
import { localPackage } from "./decide-install.ts";
import { type FoundFile, type PackageHome } from "./home.ts";
import { readPrivateKey, readTrust, shippedHome, workspaceHome } from "./homes.ts";
import { buildLocalPackage } from "./local-package.ts";
import { type InstallOutcome, PackageInstaller } from "./package-installer.ts";
import { type Fault, type LoadTrial } from "./trial.ts";
import { type Trust } from "./trust.ts";
import { type PackageVerification, verifyPackages } from "./verify-packages.ts";

export interface PackagesOptions {
  readonly root: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly config: WritConfig;
  readonly trials?: readonly LoadTrial[];
}

/** Everything about packages that a workspace offers. It needs no runtime: a workspace with a broken contract must be repairable. */
export interface Packages {
  readonly installer: PackageInstaller;
  readonly homes: readonly PackageHome[];
  readonly workspaceKey: KeyObject;
  readonly trust: Trust;
  verify(options: { readonly repair: boolean }): Promise<Result<PackageVerification>>;
  adopt(): Promise<Result<InstallOutcome | null>>;
  gates(log: LogReader): GateService;
}

export async function openPackages(options: PackagesOptions): Promise<Result<Packages>> {
  const { root, clock, random, config } = options;
  const trials = [hooksThere(config), ...(options.trials ?? [])];
  const schemas = shippedRegistry();
  const key = await readPrivateKey(join(root, config.signing.private_key));
  if (!key.ok) return key;
  const workspaceKey = key.value;
  const trust = await readTrust(config, workspaceKey);
  const lockWaitMs = config.limits.lock_wait_seconds * 1000;
  const homes = [workspaceHome(root), shippedHome];
  const installer = new PackageInstaller({ root, schemas, clock, random, trust, workspaceKey, lockWaitMs, trials });
  return ok({
    installer,
    homes,
    workspaceKey,
    trust,
    verify: ({ repair }) => verifyPackages({ homes, schemas, clock, random, lockWaitMs, repair }),
    adopt: () => adopt(installer, options, workspaceKey),
    gates: (log) => {
      const verified = verifiedSessions(clock);
      return new GateService({
        homes,
        schemas,
        clock,
        trust,
        workspaceKey,
        lockWaitMs,
        log,
        verifyLedgers: () => verifyLedgers(log, options, verified),
      });
    },
  });
}

/** A hook that cannot be asked denies, so a change that takes its file away would stop everything that it is asked about. */
function hooksThere({ hooks }: WritConfig): LoadTrial {
  return async ({ root, files }) => {
    const faults: Fault[] = [];
    for (const { file } of hookFiles(hooks)) {
      const found = await files.stat(join(root, file));
      if (found.ok && found.value?.type === "file") continue;
      faults.push({ part: "hooks", subject: file, message: `${file}, which writ.yaml names as a hook, is not there` });
    }
    return faults;
  };
}

/** A closed session that was verified is not read again while its files and its anchored heads are the same. */
function verifiedSessions(clock: Clock): VerifiedSessions {
  const memory = new SessionMemory<Verification>();
  const markOf = ({ folder, anchored }: { readonly folder: string; readonly anchored: string }) => {
    const mark = markOfSession(folder, clock);
    return mark === undefined ? undefined : `${mark}\n${anchored}`;
  };
  return {
    get: (session) => memory.get(session.session_id, markOf(session)),
    keep: (session, verification) =>
      memory.keep(session.session_id, verification.ok ? markOf(session) : undefined, verification),
  };
}

async function verifyLedgers(reader: LogReader, { root, config }: PackagesOptions, verified: VerifiedSessions) {
  const key = loadVerifyingKey(join(root, config.signing.public_key));
  if (!key.ok) return { checked: 0, findings: [{ subject: config.signing.public_key, message: key.error.message }] };
  const schemas = shippedRegistry();
  const proof = await verifyAll({
    root,
    reader,
    schemas,
    rules: ledgerRules,
    audits: sessionAudits,
    key: key.value,
    verified,
  });
  const findings = [
    ...proof.violations.map(({ message }) => ({ subject: "planes/hot", message })),
    ...proof.sessions.flatMap(({ session_id, violations }) =>
      violations.map(({ message }) => ({ subject: session_id, message, repair: `writ session verify ${session_id}` })),
    ),
  ];
  return { checked: proof.sessions.length, findings };
}

/** The same from a workspace's folder alone, for the command line. */
export async function openWorkspacePackages(
  options: Omit<PackagesOptions, "config"> & { readonly env: Environment },
): Promise<Result<Packages>> {
  const config = await loadConfig(options.root, nodeFiles, options.env);
  return config.ok ? openPackages({ ...options, config: config.value }) : config;
}

/** Takes every governed file of the workspace that no other package owns into the workspace's own package, as it lies there. */
async function adopt(
  installer: PackageInstaller,
  { root, clock }: PackagesOptions,
  key: KeyObject,
): Promise<Result<InstallOutcome | null>> {
  const schemas = shippedRegistry();
  const evidence = new HomeReader({ home: workspaceHome(root), schemas, clock }).read();
  const others = evidence.packages.filter(({ manifest }) => manifest.package_id !== localPackage);
  const owned = new Set(others.flatMap(({ manifest }) => manifest.assets.map(({ path }) => path)));
  const current = evidence.packages.find(({ manifest }) => manifest.package_id === localPackage)?.manifest;
  const paths = evidence.governed.filter((path) => !owned.has(path));
  if (paths.length === 0) {
    if (!current) return ok(null);
    const removed = await installer.remove(localPackage);
    return removed.ok ? ok(null) : removed;
  }
  if (current && isSame(current.assets, paths, evidence.files)) return ok(null);
  const files = await readSome(root, paths);
  if (!files.ok) return files;
  const built = buildLocalPackage(files.value, current, { schemas, key });
  return built.ok ? installer.installArchive(built.value.archive) : built;
}

function isSame(
  assets: readonly { readonly path: string; readonly sha256: string }[],
  paths: readonly string[],
  files: ReadonlyMap<string, FoundFile>,
): boolean {
  return (
    assets.length === paths.length &&
    assets.every(({ path, sha256 }) => {
      const found = files.get(path);
      return found?.state === "file" && found.sha256 === sha256;
    })
  );
}

async function readSome(root: string, paths: readonly string[]) {
  const wanted = new Set(paths);
  const files = [];
  for (const folder of governedFolders) {
    if (!paths.some((path) => path.startsWith(`${folder}/`))) continue;
    const read = readFolder(join(root, folder));
    if (!read.ok) return read;
    for (const file of read.value) {
      const path = `${folder}/${file.path}`;
      if (wanted.has(path)) files.push({ ...file, path, executable: false });
    }
  }
  return ok(files);
}

/** Reads a folder with a manifest.json or manifest.yaml at its top and makes an archive of it. */
export async function buildFromFolder(
  folder: string,
  key: KeyObject | undefined,
): Promise<ReturnType<typeof buildPackage>> {
  const files = readFolder(folder);
  if (!files.ok) return files;
  const drafts = files.value.filter(({ path }) => path === "manifest.json" || path === "manifest.yaml");
  const [draft] = drafts;
  if (!draft || drafts.length > 1)
    return err(
      domainError(
        "MALFORMED_INPUT",
        `${folder} needs one manifest.json or manifest.yaml at its top, found ${drafts.length}`,
        {
          details: { hint: "docs/guides/packages-and-gates.md shows one" },
        },
      ),
    );
  const parsed = parseYaml(Buffer.from(draft.bytes).toString("utf8"));
  if (!parsed.ok) return err(domainError("MALFORMED_INPUT", `${draft.path}: ${parsed.error.message}`));
  // A folder that is kept in git has its history beside the package's files, and not in the package.
  const assets = files.value.filter(
    ({ path }) => path !== draft.path && path !== "signature.json" && !path.startsWith(".git/"),
  );
  return buildPackage(parsed.value as Readonly<Record<string, unknown>>, assets, { schemas: shippedRegistry(), key });
}
