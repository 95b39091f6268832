import type { KeyObject } from "node:crypto";
import type { CapabilitiesV1, PackageReceiptV1, SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import {
  type Clock,
  err,
  type Failpoint,
  isoTime,
  noFailpoints,
  ok,
  type Random,
  type Result,
  sha256,
} from "#core/values";
import { HomeReader } from "./adapters/home-reader.ts";
import { withPackageLock } from "./adapters/package-lock.ts";
import { commitChanges, recoverChanges } from "./adapters/transaction.ts";
import { type OpenedPackage, openArchive } from "./archive.ts";
import { decideInstall, type FileChange, type InstallPlan, localPackage } from "./decide-install.ts";
import { decideRemove } from "./decide-remove.ts";
import { evidenceAfter } from "./evidence-after.ts";
import { type HomeEvidence, type InstalledPackage, type PackageHome } from "./home.ts";
import { shippedHome, workspaceHome } from "./homes.ts";
import { keepCopies } from "./keep-copies.ts";
import { withoutFiles } from "./local-package.ts";
import { readArchive } from "./read-archive.ts";
import { makeReceipt, receiptFiles, receiptNames } from "./receipt.ts";
import { keyHash, whyNotSigned } from "./signature.ts";
import { type LoadTrial, type TrialOptions, tryChange } from "./trial.ts";
import { checkTrust, type Trust, trustedAs } from "./trust.ts";

export interface PackageInstallerOptions {
  readonly root: string;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly trust: Trust;
  readonly workspaceKey: KeyObject;
  readonly lockWaitMs: number;
  /** What the workspace builds upon; a test of a clean room gives none. */
  readonly beneath?: readonly PackageHome[];
  /** Loads what later places read: skills, context templates, workflows. */
  readonly trials?: readonly LoadTrial[];
  readonly failpoint?: Failpoint;
}

export interface InstallOutcome {
  readonly package_id: string;
  readonly version: string;
  readonly state: "new" | "upgrade" | "already";
  readonly files: number;
  readonly signed_by: string;
  readonly trusted_as: string;
  /** Where copies of what people wrote lie, relative to the workspace; absent where nothing of theirs was replaced. */
  readonly kept?: string;
}

export interface RemoveOutcome extends Pick<InstallOutcome, "package_id" | "version" | "kept"> {}

/** Whether a person agreed that what people wrote is replaced or removed. A copy is kept either way. */
export interface Agreement {
  readonly agreed?: boolean;
}

interface Checked {
  readonly opened: OpenedPackage;
  readonly trusted: { readonly trusted_as: PackageReceiptV1["trusted_as"]; readonly key_sha256: string };
}

/** What becomes of one package's place under `packages/`; undefined: it goes. */
interface Placed {
  readonly package_id: string;
  readonly installed: InstalledPackage | undefined;
  readonly changes: readonly FileChange[];
}

/** What the installs that were planned so far would do. */
interface Draft {
  readonly after: HomeEvidence;
  readonly changes: readonly FileChange[];
  readonly losses: readonly string[];
  readonly outcomes: readonly InstallOutcome[];
}

export interface ListedPackage {
  readonly package_id: string;
  readonly version: string;
  readonly title: string | null;
  readonly home: "shipped" | "workspace";
  readonly layer: number;
  readonly spec_id: string;
  readonly files: number;
}

/** Installed packages of a workspace, and how they come and go. */
export class PackageInstaller {
  readonly #options: PackageInstallerOptions;
  readonly #own: PackageHome;
  readonly #beneath: readonly PackageHome[];

  constructor(options: PackageInstallerOptions) {
    this.#options = options;
    this.#own = workspaceHome(options.root);
    this.#beneath = options.beneath ?? [shippedHome];
  }

  async install(file: string): Promise<Result<InstallOutcome>> {
    const archive = await readArchive(file);
    return archive.ok ? this.installArchive(archive.value) : archive;
  }

  async installArchive(archive: Uint8Array): Promise<Result<InstallOutcome>> {
    const done = await this.installArchives([archive]);
    if (!done.ok) return done;
    const [outcome] = done.value;
    if (!outcome) throw new Error("one archive has one outcome");
    return ok(outcome);
  }

  async installFiles(files: readonly string[], how: Agreement): Promise<Result<readonly InstallOutcome[]>> {
    const archives: Uint8Array[] = [];
    for (const file of files) {
      const archive = await readArchive(file);
      if (!archive.ok) return archive;
      archives.push(archive.value);
    }
    return this.installArchives(archives, how);
  }

  /**
   * Several as one, in this order: packages of which none passes the gates without the others. The bytes that were checked are
   * the bytes that are installed: no file is read a second time.
   */
  async installArchives(
    archives: readonly Uint8Array[],
    how: Agreement = {},
  ): Promise<Result<readonly InstallOutcome[]>> {
    const checked: Checked[] = [];
    for (const archive of archives) {
      const opened = openArchive(archive, this.#options.schemas);
      if (!opened.ok) return opened;
      const trusted = checkTrust(opened.value, this.#options.trust);
      if (!trusted.ok) return trusted;
      checked.push({ opened: opened.value, trusted: trusted.value });
    }
    return this.#alone(async () => {
      const own = this.#reader(this.#own);
      const before = own.read();
      const beneath = this.#beneath.map((home) => this.#reader(home).read());
      let draft: Draft = { after: before, changes: [], losses: [], outcomes: [] };
      for (const each of checked) {
        const { after } = draft;
        const plan = decideInstall(each.opened, after, beneath, (path) => after.files.get(path) ?? own.find(path));
        const next = plan.ok ? await this.#extend(draft, each, plan.value) : plan;
        if (!next.ok) return next;
        draft = next.value;
      }
      const { changes, after, losses, outcomes } = draft;
      if (losses.length > 0 && how.agreed !== true) return err(wouldBeLost(losses, "replaced"));
      if (changes.length === 0) return ok(outcomes);
      const names = checked.map(({ opened }) => opened.manifest.package_id);
      const tried = await tryChange(
        { what: `installing ${names.join(" and ")}`, changes, before, after, beneath },
        this.#trialOptions(),
      );
      if (!tried.ok) return tried;
      const done = this.#commit("install", names[0] ?? "", changes, losses);
      if (!done.ok) return done;
      return ok(outcomes.map((outcome) => ({ ...outcome, ...done.value })));
    });
  }

  async #extend(
    draft: Draft,
    { opened, trusted }: Checked,
    { state, changes, losses, takenOver }: InstallPlan,
  ): Promise<Result<Draft>> {
    const { package_id, version, assets } = opened.manifest;
    const { key_sha256: signed_by, trusted_as } = trusted;
    const outcomes = [...draft.outcomes, { package_id, version, state, files: assets.length, signed_by, trusted_as }];
    if (state === "already") return ok({ ...draft, losses: [...draft.losses, ...losses], outcomes });
    const parts = [this.#placed(opened, trusted)];
    if (takenOver.length > 0) {
      const left = await this.#localWithout(takenOver);
      if (!left.ok) return left;
      parts.push(left.value);
    }
    const all = [...changes, ...parts.flatMap((part) => part.changes)];
    return ok({
      after: evidenceAfter(draft.after, all, parts),
      // A path that two of the packages change is changed once, to what the later one says.
      changes: [...new Map([...draft.changes, ...all].map((change) => [change.path, change])).values()],
      losses: [...draft.losses, ...losses],
      outcomes,
    });
  }

  /** A package with the receipt that it gets here. */
  #placed(opened: OpenedPackage, trusted: Checked["trusted"]): Placed {
    const { clock, workspaceKey } = this.#options;
    const receipt = makeReceipt(opened, { ...trusted, installed_at: isoTime(clock.now()), workspaceKey });
    const { manifest, manifestBytes, signature } = opened;
    return {
      package_id: manifest.package_id,
      installed: { manifest, manifestBytes, signature, receipt },
      changes: receiptFiles(this.#own, opened, receipt),
    };
  }

  async #localWithout(taken: readonly string[]): Promise<Result<Placed>> {
    const { schemas, workspaceKey: key } = this.#options;
    const folder = `${this.#own.folder}/${localPackage}`;
    const left = await withoutFiles(`${this.#own.root}/${folder}/archive.tar`, taken, { schemas, key });
    if (!left.ok) return left;
    if (left.value) return ok(this.#placed(left.value, { trusted_as: "workspace", key_sha256: keyHash(key) }));
    const changes = receiptNames.map((name) => ({ path: `${folder}/${name}`, bytes: null, executable: false }));
    return ok({ package_id: localPackage, installed: undefined, changes });
  }

  async remove(package_id: string, how: Agreement = {}): Promise<Result<RemoveOutcome>> {
    return this.#alone(async () => {
      const own = this.#reader(this.#own);
      const before = own.read();
      const plan = decideRemove(package_id, before, own);
      if (!plan.ok) return plan;
      const { changes, losses, installed } = plan.value;
      if (losses.length > 0 && how.agreed !== true) return err(wouldBeLost(losses, "removed"));
      const after = evidenceAfter(before, changes, [{ package_id, installed: undefined }]);
      const beneath = this.#beneath.map((home) => this.#reader(home).read());
      const tried = await tryChange(
        { what: `removing ${package_id}`, changes, before, after, beneath },
        this.#trialOptions(),
      );
      if (!tried.ok) return tried;
      const done = this.#commit("remove", package_id, changes, losses);
      return done.ok ? ok({ package_id, version: installed.manifest.version, ...done.value }) : done;
    });
  }

  list(): readonly ListedPackage[] {
    return [this.#own, ...this.#beneath].flatMap((home) =>
      this.#reader(home)
        .read()
        .packages.map(({ manifest }) => ({
          package_id: manifest.package_id,
          version: manifest.version,
          title: manifest.title ?? null,
          home: home.name,
          layer: manifest.layer,
          spec_id: manifest.spec_id,
          files: manifest.assets.length,
        })),
    );
  }

  /** What the code of an installed package may do. A package that is not as it was signed may do nothing. */
  capabilitiesOf(package_id: string): Result<CapabilitiesV1> {
    const found = [this.#own, ...this.#beneath]
      .flatMap((home) => this.#reader(home).read().packages)
      .find(({ manifest }) => manifest.package_id === package_id);
    if (!found)
      return err(
        domainError("NOT_FOUND", `the package ${package_id} is not installed here: writ pkg install FILE`, {
          details: { package_id },
        }),
      );
    const why = this.#whyNotInForce(found);
    if (why !== undefined)
      return err(
        domainError("GATE_DENIED", `${package_id} grants nothing: ${why}`, { details: { package_id, gate: "G5" } }),
      );
    return ok(found.manifest.capabilities ?? {});
  }

  #whyNotInForce({ manifestBytes, signature, receipt }: InstalledPackage): string | undefined {
    if (sha256(manifestBytes) !== receipt.manifest_sha256) return "its manifest is not the one that was installed";
    if (!signature) return "it is not signed";
    const why = whyNotSigned(manifestBytes, signature);
    if (why !== undefined) return why;
    return trustedAs(signature.key_sha256, this.#options.trust) === undefined
      ? "its key is not trusted here"
      : undefined;
  }

  #trialOptions(): TrialOptions {
    const { clock, schemas, trust, workspaceKey, trials = [] } = this.#options;
    return { clock, schemas, trust, workspaceKey, trials };
  }

  /** Changes the tree, and in the same transaction keeps copies of what people wrote. */
  #commit(
    kind: "install" | "remove",
    package_id: string,
    changes: readonly FileChange[],
    losses: readonly string[],
  ): Result<{ readonly kept?: string }> {
    const transaction_id = Buffer.from(this.#options.random.bytes(12)).toString("hex");
    const copies = keepCopies(this.#own, `${package_id}-${transaction_id.slice(0, 16)}`, losses);
    const done = commitChanges(
      this.#own,
      { transaction_id, kind, package_id },
      [...(copies?.changes ?? []), ...changes],
      this.#options.failpoint ?? noFailpoints,
    );
    return done.ok ? ok(copies ? { kept: copies.folder } : {}) : done;
  }

  #alone<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
    const { clock, lockWaitMs, schemas } = this.#options;
    return withPackageLock(this.#own, { clock, waitMs: lockWaitMs }, async () => {
      const recovered = recoverChanges(this.#own, schemas);
      return recovered.ok ? work() : recovered;
    });
  }

  #reader(home: PackageHome): HomeReader {
    return new HomeReader({ home, schemas: this.#options.schemas, clock: this.#options.clock });
  }
}

function wouldBeLost(paths: readonly string[], how: "replaced" | "removed") {
  const [first, ...more] = paths;
  return domainError(
    "PACKAGE_CONFLICT",
    `${first}${more.length > 0 ? ` and ${more.length} more` : ""} holds what people wrote here and would be ${how}`,
    {
      details: {
        would_lose: paths,
        hint: "move it aside, or say --yes: a copy is kept under packages/.kept/",
      },
    },
  );
}
