import type { KeyObject } from "node:crypto";
import type { CapabilitiesV1, SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { nodeFiles } from "#core/machine";
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
import { packagesResolve } from "../gates/g1-resolve.ts";
import { readRegistries } from "../gates/registries.ts";
import { HomeReader } from "./adapters/home-reader.ts";
import { withPackageLock } from "./adapters/package-lock.ts";
import { commitChanges, recoverChanges } from "./adapters/transaction.ts";
import { type OpenedPackage, openArchive } from "./archive.ts";
import { decideInstall, type FileChange } from "./decide-install.ts";
import { decideRemove } from "./decide-remove.ts";
import { type InstalledPackage, type PackageHome } from "./home.ts";
import { shippedHome, workspaceHome } from "./homes.ts";
import { overlayFiles } from "./overlay-files.ts";
import { readArchive } from "./read-archive.ts";
import { receiptFiles } from "./receipt.ts";
import { whyNotSigned } from "./signature.ts";
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
  readonly failpoint?: Failpoint;
}

export interface InstallOutcome {
  readonly package_id: string;
  readonly version: string;
  readonly state: "new" | "upgrade" | "already";
  readonly files: number;
  readonly signed_by: string;
  readonly trusted_as: string;
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

  /** The bytes that were checked are the bytes that are installed: the file is never read a second time. */
  async installArchive(archive: Uint8Array): Promise<Result<InstallOutcome>> {
    const opened = openArchive(archive, this.#options.schemas);
    if (!opened.ok) return opened;
    const trusted = checkTrust(opened.value, this.#options.trust);
    if (!trusted.ok) return trusted;
    const { manifest } = opened.value;
    return this.#alone(async () => {
      const own = this.#reader(this.#own);
      const beneath = this.#beneath.map((home) => this.#reader(home).read());
      const plan = decideInstall(opened.value, own.read(), beneath, (path) => own.find(path));
      if (!plan.ok) return plan;
      const outcome: InstallOutcome = {
        package_id: manifest.package_id,
        version: manifest.version,
        state: plan.value.state,
        files: manifest.assets.length,
        signed_by: trusted.value.key_sha256,
        trusted_as: trusted.value.trusted_as,
      };
      if (plan.value.state === "already") return ok(outcome);
      const resolves = await this.#checkResolves(opened.value, plan.value.changes);
      if (!resolves.ok) return resolves;
      const receipt = receiptFiles(this.#own, opened.value, {
        ...trusted.value,
        installed_at: isoTime(this.#options.clock.now()),
        workspaceKey: this.#options.workspaceKey,
      });
      const done = this.#commit("install", manifest.package_id, [...plan.value.changes, ...receipt]);
      return done.ok ? ok(outcome) : done;
    });
  }

  async remove(package_id: string): Promise<Result<{ readonly package_id: string; readonly version: string }>> {
    return this.#alone(async () => {
      const plan = decideRemove(package_id, this.#reader(this.#own).read());
      if (!plan.ok) return plan;
      const { manifest } = plan.value.installed;
      const receipt = ["manifest.json", "signature.json", "receipt.json", "archive.tar"].map((name) => ({
        path: `${this.#own.folder}/${package_id}/${name}`,
        bytes: null,
        executable: false,
      }));
      const done = this.#commit("remove", package_id, [...plan.value.changes, ...receipt]);
      return done.ok ? ok({ package_id, version: manifest.version }) : done;
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

  /** G1 over the tree as it would be: a package that resolves to no framework would stop every flow, so it is not let in. */
  async #checkResolves({ manifest }: OpenedPackage, changes: readonly FileChange[]): Promise<Result<void>> {
    const files = overlayFiles(nodeFiles, this.#own.root, changes);
    const registries = await readRegistries([this.#own, ...this.#beneath], { files, schemas: this.#options.schemas });
    const verdict = packagesResolve([manifest], registries);
    const [finding] = verdict.findings;
    if (!finding) return ok(undefined);
    return err(
      domainError("PACKAGE_REFUSED", `${manifest.package_id} does not pass G1: ${finding.message}`, {
        details: { gate: "G1", findings: verdict.findings },
      }),
    );
  }

  #commit(kind: "install" | "remove", package_id: string, changes: readonly FileChange[]): Result<void> {
    const transaction_id = Buffer.from(this.#options.random.bytes(12)).toString("hex");
    return commitChanges(
      this.#own,
      { transaction_id, kind, package_id },
      changes,
      this.#options.failpoint ?? noFailpoints,
    );
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
