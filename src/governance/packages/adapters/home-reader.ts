import { closeSync, constants, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SchemaRegistry, SchemaTypes } from "#core/contracts";
import { domainError, isMissing, messageOf } from "#core/errors";
import { type Clock, err, type Failpoint, noFailpoints, ok, parseJson, type Result, sha256 } from "#core/values";
import { manifestBytes, manifestName, signatureName } from "../archive.ts";
import { governedFolders, isGoverned } from "../asset-path.ts";
import type { FoundFile, HomeEvidence, InstalledPackage, PackageHome } from "../home.ts";
import { hasMark, type StatMark, settleMs, statMark } from "./stat-mark.ts";

const receiptName = "receipt.json";

/**
 * How long what Writ ships counts as unchanged after it was looked at. A process reads each of these files once, so a change
 * acts only in the next process; to look at all 350 twice a request took 1.7 of its 8.7 ms. Files of a workspace act at once
 * and are looked at every time.
 */
const shippedRestMs = 1_000;

export interface HomeReaderOptions {
  readonly home: PackageHome;
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly failpoint?: Failpoint;
}

interface Kept<T> {
  readonly mark: StatMark;
  /** The file had not changed for a while when it was read, so an equal mark means equal bytes. */
  readonly settled: boolean;
  readonly value: T;
}

/** What was read of a home, by path. Each entry holds only as long as its mark does. */
interface HomeMemory {
  readonly files: Map<string, Kept<FoundFile>>;
  readonly folders: Map<string, Kept<readonly string[]>>;
}

/** By clock, which says how old a mark is: what Writ ships is read once, however many workspaces a process opens. */
const shippedHomes = new WeakMap<Clock, Map<string, HomeMemory>>();

function memoryOf({ name, root }: PackageHome, clock: Clock): HomeMemory {
  const fresh: HomeMemory = { files: new Map(), folders: new Map() };
  if (name === "workspace") return fresh;
  const homes = shippedHomes.get(clock) ?? new Map<string, HomeMemory>();
  shippedHomes.set(clock, homes);
  const known = homes.get(root);
  if (!known) homes.set(root, fresh);
  return known ?? fresh;
}

/** A path on disk and the mark by which a change of it would be noticed. */
interface Watched {
  readonly path: string;
  readonly mark: StatMark;
}

/**
 * Reads a home as the gates judge it, and remembers by which marks of the file system it would notice a change: a check of an
 * unchanged home reads no file. Others may take packages away meanwhile: what is gone when it is to be read is not there.
 */
export class HomeReader {
  readonly home: PackageHome;
  readonly #schemas: SchemaRegistry;
  readonly #clock: Clock;
  readonly #failpoint: Failpoint;
  readonly #memory: HomeMemory;
  #touched = new Set<string>();
  /** What `isUnchanged` looks at, gathered when it is first asked after a reading. */
  #watched: readonly Watched[] | undefined;
  /** When everything was last found unchanged, on the monotonic clock. */
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: HomeReaderOptions) {
    this.home = options.home;
    this.#schemas = options.schemas;
    this.#clock = options.clock;
    this.#failpoint = options.failpoint ?? noFailpoints;
    this.#memory = memoryOf(options.home, options.clock);
  }

  read(): HomeEvidence {
    this.#touched = new Set();
    this.#watched = undefined;
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    const { folder } = this.home;
    const packages: InstalledPackage[] = [];
    const broken: { package_id: string; message: string }[] = [];
    for (const name of this.#list(folder)) {
      if (!/^PKG-[0-9A-Z][0-9A-Z-]{0,63}$/.test(name)) continue;
      const installed = this.#readReceipt(`${folder}/${name}`, name);
      if (installed.ok) packages.push(installed.value);
      else broken.push({ package_id: name, message: installed.error.message });
    }
    const lying = governedFolders.flatMap((each) => this.under(each));
    const governed = this.home.name === "workspace" ? lying.filter(isGoverned) : lying;
    const files = new Map<string, FoundFile>();
    const assets = packages.flatMap(({ manifest }) => manifest.assets.map(({ path }) => path));
    for (const path of [...assets, ...governed]) if (!files.has(path)) files.set(path, this.find(path));
    return { home: this.home, packages, broken, files, governed };
  }

  /** Whether nothing that the last `read` looked at has changed since, as far as this process acts on it. */
  isUnchanged(): boolean {
    const now = this.#clock.monotonic();
    if (this.home.name === "shipped" && now - this.#lookedAt < shippedRestMs) return true;
    this.#watched ??= this.#watch();
    const isUnchanged = this.#watched?.every(({ path, mark }) => hasMark(path, mark)) ?? false;
    this.#lookedAt = isUnchanged ? now : Number.NEGATIVE_INFINITY;
    return isUnchanged;
  }

  /** Nothing can be said as long as one of them changed so lately that it may change again unseen. */
  #watch(): readonly Watched[] | undefined {
    const watched: Watched[] = [];
    for (const path of this.#touched) {
      const kept = this.#memory.files.get(path) ?? this.#memory.folders.get(path);
      if (!kept?.settled) return undefined;
      watched.push({ path: join(this.home.root, path), mark: kept.mark });
    }
    return watched.length > 0 ? watched : undefined;
  }

  #touch(path: string): void {
    this.#touched.add(path);
    this.#watched = undefined;
  }

  /** One file by its path; links are not followed. */
  find(path: string): FoundFile {
    this.#touch(path);
    const mark = statMark(join(this.home.root, path));
    const kept = this.#memory.files.get(path);
    if (kept?.settled && kept.mark.text === mark.text) return kept.value;
    const value = this.#hash(path, mark);
    this.#memory.files.set(path, { mark, settled: this.#isSettled(mark), value });
    return value;
  }

  #hash(path: string, mark: StatMark): FoundFile {
    if (mark.type === "missing") return { state: "missing" };
    if (mark.type !== "file") return { state: "other", what: mark.type === "link" ? "a link" : `a ${mark.type}` };
    try {
      return { state: "file", sha256: sha256(readPlain(join(this.home.root, path))), executable: mark.executable };
    } catch (thrown) {
      return { state: "other", what: `unreadable (${messageOf(thrown)})` };
    }
  }

  #isSettled(mark: StatMark): boolean {
    return mark.type === "missing" || this.#clock.now() - mark.changedMs > settleMs;
  }

  #list(path: string): readonly string[] {
    this.#touch(path);
    const mark = statMark(join(this.home.root, path));
    const kept = this.#memory.folders.get(path);
    if (kept?.settled && kept.mark.text === mark.text) return kept.value;
    this.#failpoint("home.marked");
    const value = mark.type === "folder" ? namesIn(join(this.home.root, path)) : [];
    this.#memory.folders.set(path, { mark, settled: this.#isSettled(mark), value });
    return value;
  }

  /** Every path under a folder that is not a folder itself; a link counts as what it is and is not entered. */
  under(folder: string): readonly string[] {
    return this.#list(folder).flatMap((name) => {
      const path = `${folder}/${name}`;
      return statMark(join(this.home.root, path)).type === "folder" ? this.under(path) : [path];
    });
  }

  #readReceipt(folder: string, package_id: string): Result<InstalledPackage> {
    const manifest = this.#document(`${folder}/${manifestName}`, "package_manifest_v1");
    if (!manifest.ok) return manifest;
    const receipt = this.#document(`${folder}/${receiptName}`, "package_receipt_v1");
    if (!receipt.ok) return receipt;
    const isSigned = this.find(`${folder}/${signatureName}`).state !== "missing";
    const signature = isSigned ? this.#document(`${folder}/${signatureName}`, "package_signature_v1") : ok(undefined);
    if (!signature.ok) return signature;
    const named = manifest.value.package_id === package_id && receipt.value.package_id === package_id;
    if (!named) return unreadable(`${folder} holds the receipt of another package`);
    return ok({
      manifest: manifest.value,
      manifestBytes: manifestBytes(manifest.value),
      signature: signature.value,
      receipt: receipt.value,
    });
  }

  #document<Id extends DocumentId>(path: string, id: Id): Result<SchemaTypes[Id]> {
    const found = this.find(path);
    if (found.state !== "file") return unreadable(`${path} is ${found.state === "missing" ? "missing" : found.what}`);
    this.#failpoint("home.found");
    let text: string;
    try {
      text = readPlain(join(this.home.root, path)).toString("utf8");
    } catch (thrown) {
      return unreadable(`${path} is unreadable (${messageOf(thrown)})`);
    }
    const parsed = parseJson(text);
    return parsed.ok ? this.#schemas.validate(id, parsed.value) : parsed;
  }
}

type DocumentId = "package_manifest_v1" | "package_receipt_v1" | "package_signature_v1";

function unreadable(message: string): Result<never> {
  return err(domainError("PACKAGE_REFUSED", message));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}

/** The bytes of a file that is not a link. */
export function readPlain(path: string): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
