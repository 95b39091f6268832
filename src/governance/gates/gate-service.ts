import type { KeyObject } from "node:crypto";
import type { GateReportV1, SchemaRegistry } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { nodeFiles } from "#core/machine";
import { type Clock, coalesce, err, ok, type Result } from "#core/values";
import type { LogReader } from "#log";
import { type Framework } from "../frameworks/framework.ts";
import { HomeReader } from "../packages/adapters/home-reader.ts";
import { withPackageLock } from "../packages/adapters/package-lock.ts";
import { isUnderWay, recoverChanges } from "../packages/adapters/transaction.ts";
import { type HomeEvidence, type PackageHome } from "../packages/home.ts";
import { type Trust } from "../packages/trust.ts";
import { judgeFiles } from "./file-gates.ts";
import { type Finding, fileGates, type GateId, type GateVerdict, gatesOf, verdict } from "./gate.ts";
import { acceptanceRecorded, ordersAuthorized, pathsRespected, type SessionFacts } from "./history.ts";
import { readHistory } from "./read-history.ts";
import { readRegistries } from "./registries.ts";
import { SessionMemory } from "./session-memory.ts";

export interface GateServiceOptions {
  /** The workspace first, then what it builds upon. */
  readonly homes: readonly PackageHome[];
  readonly schemas: SchemaRegistry;
  readonly clock: Clock;
  readonly trust: Trust;
  readonly workspaceKey: KeyObject;
  readonly lockWaitMs: number;
  /** The recorded past, which G2, G3, G4 and G6 judge. */
  readonly log: LogReader;
  /** Proves the ledgers. */
  readonly verifyLedgers: () => Promise<{ readonly checked: number; readonly findings: readonly Finding[] }>;
}

interface FileJudgement {
  readonly verdicts: readonly GateVerdict[];
  readonly evidence: readonly HomeEvidence[];
}

const readings = 3;

/** Judges the gates, and remembers the verdict over files for as long as no file has changed. */
export class GateService {
  readonly #options: GateServiceOptions;
  readonly #readers: readonly HomeReader[];
  readonly #past = new SessionMemory<SessionFacts>();
  #judged: FileJudgement | undefined;
  /** Concurrent flows share one read of the files. */
  readonly #look = coalesce(() => this.#judgeFiles());

  constructor(options: GateServiceOptions) {
    this.#options = options;
    const { schemas, clock } = options;
    this.#readers = options.homes.map((home) => new HomeReader({ home, schemas, clock }));
  }

  async check(gates: readonly GateId[]): Promise<GateReportV1> {
    const files = gates.some((gate) => fileGates.includes(gate)) ? (await this.#look("files")).verdicts : [];
    const overPast = gates.filter((gate) => !fileGates.includes(gate));
    const past = overPast.length > 0 ? await this.#judgePast(overPast) : [];
    const verdicts = gates.flatMap((gate) => [...files, ...past].filter((each) => each.gate === gate));
    return { ok: verdicts.every(({ passed }) => passed), gates: verdicts, schema_version: "v1" };
  }

  /**
   * A framework whose required gates pass, read as its package has it. When an install changes it between the reading and the
   * judgement, it is read again.
   */
  async admit(load: () => Promise<Result<Framework>>): Promise<Result<Framework>> {
    for (let reading = 1; ; reading += 1) {
      const framework = await load();
      if (!framework.ok) return framework;
      const passed = await this.confirm(framework.value);
      if (!passed.ok) return passed;
      if (!gatesOf(framework.value.manifest.required_gates).includes("G0A") || this.#isAsJudged(framework.value))
        return framework;
      if (reading === readings)
        return err(
          domainError("GATE_DENIED", `${framework.value.folder} keeps changing while it is read: try again`, {
            details: { gate: "G0A", framework_id: framework.value.manifest.framework_id },
          }),
        );
    }
  }

  /** Whether the gates that a framework requires pass now. */
  async confirm({ manifest }: Framework): Promise<Result<void>> {
    const gates = gatesOf(manifest.required_gates);
    if (gates.length === 0) return ok(undefined);
    const report = await this.check(gates);
    return report.ok ? ok(undefined) : err(denied(manifest.framework_id, report));
  }

  #isAsJudged({ hashes }: Framework): boolean {
    return Object.entries(hashes).every(([path, hash]) =>
      this.#judged?.evidence.some(({ files }) => {
        const found = files.get(path);
        return found?.state === "file" && found.sha256 === hash;
      }),
    );
  }

  async #judgeFiles(): Promise<FileJudgement> {
    const idle = !this.#options.homes.some(isUnderWay);
    if (idle && this.#judged && this.#readers.every((reader) => reader.isUnchanged())) return this.#judged;
    const first = idle ? await this.#read() : undefined;
    if (first?.verdicts.every(({ passed }) => passed)) return this.#keep(first);
    // An install may be under way, or its process may have died. Before a refusal the files are read again under the package lock,
    // so that no other process changes them meanwhile.
    const [own] = this.#options.homes;
    if (!own) return this.#keep(first ?? (await this.#read()));
    const { clock, lockWaitMs, schemas } = this.#options;
    const again = await withPackageLock(own, { clock, waitMs: lockWaitMs }, async () => {
      const recovered = recoverChanges(own, schemas);
      return recovered.ok ? ok(await this.#read()) : recovered;
    });
    return this.#keep(again.ok ? again.value : (first ?? unreadable(again.error)));
  }

  #keep(judged: FileJudgement): FileJudgement {
    this.#judged = judged;
    return judged;
  }

  async #read(): Promise<FileJudgement> {
    const { homes, schemas, trust, workspaceKey } = this.#options;
    const evidence = this.#readers.map((reader) => reader.read());
    const registries = await readRegistries(homes, { files: nodeFiles, schemas });
    return { evidence, verdicts: judgeFiles({ evidence, registries, trust, workspaceKey }) };
  }

  async #judgePast(gates: readonly GateId[]): Promise<readonly GateVerdict[]> {
    const { log, schemas, clock, verifyLedgers } = this.#options;
    const ledgers = gates.includes("G6") ? await verifyLedgers() : { checked: 0, findings: [] };
    const sessions = gates.some((gate) => gate !== "G6") ? await readHistory(log, this.#past, { clock, schemas }) : [];
    return [
      ordersAuthorized(sessions, schemas),
      pathsRespected(sessions),
      acceptanceRecorded(sessions),
      verdict("G6", ledgers.checked, ledgers.findings),
    ];
  }
}

function unreadable(error: DomainError): FileJudgement {
  return {
    evidence: [],
    verdicts: fileGates.map((gate) => verdict(gate, 0, [{ subject: "packages/", message: error.message }])),
  };
}

/** The first finding, with what was expected, what was found, and the remedy. */
function denied(framework_id: string, report: GateReportV1): DomainError {
  const failed = report.gates.filter(({ passed }) => !passed);
  const [gate] = failed;
  const [finding] = gate?.findings ?? [];
  const hashes =
    finding?.expected === undefined ? "" : `: expected ${finding.expected}, found ${finding.found ?? "nothing"}`;
  const more = failed.reduce((sum, { findings }) => sum + findings.length, 0) - 1;
  return domainError(
    "GATE_DENIED",
    `${framework_id} requires the gate ${gate?.gate}, which is shut: ${finding?.message}${hashes}${more > 0 ? ` (and ${more} more: writ gate check)` : ""}${finding?.repair === undefined ? "" : `. To repair: ${finding.repair}`}`,
    { details: { framework_id, gate: gate?.gate, findings: failed.flatMap(({ findings }) => findings).slice(0, 20) } },
  );
}
