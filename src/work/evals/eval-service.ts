import { mkdir, readdir } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { type EvalReportV1, parseYaml } from "#core/contracts";
import { type DomainError, domainError, messageOf } from "#core/errors";
import { nodeFiles, replaceFile } from "#core/machine";
import { type Clock, err, ok, parseJson, type Result } from "#core/values";
import { compareReports } from "./compare-reports.ts";
import { type CaseParts, evalPorts } from "./eval-ports.ts";
import { type RunOptions, runSuite } from "./run-suite.ts";
import { readSuite, type Suite } from "./suite.ts";

const baselineName = "baseline.json";

export interface EvalOptions extends RunOptions {
  /** Saves this report as the baseline of later ones. */
  readonly saveBaseline?: boolean;
  /** A report to compare with, instead of the saved baseline. */
  readonly baseline?: EvalReportV1;
}

/** Runs the suites of a workspace, stores and compares their reports. Reports are on the hot plane, where no turn can write. */
export interface EvalService {
  /** A suite by its name in `evals/`, or by its file, relative to `cwd`. */
  load(named: string, cwd: string): Promise<Result<Suite>>;
  run(suite: Suite, options: EvalOptions): Promise<Result<EvalReportV1>>;
  readReport(file: string): Promise<Result<EvalReportV1>>;
  /** All stored reports, newest first. */
  reports(): Promise<readonly EvalReportV1[]>;
}

export interface EvalParts extends CaseParts {
  /** The workspace, absolute. */
  readonly root: string;
}

export function evalService(parts: EvalParts, clock: Clock): EvalService {
  const folder = join(parts.root, "planes", "hot", "evals");
  const baselineOf = (suite: string) => join(folder, suite, baselineName);
  const readReport = async (file: string): Promise<Result<EvalReportV1>> => {
    const text = await nodeFiles.readText(file);
    const document = text.ok ? parseJson(text.value) : text;
    return document.ok ? parts.schemas.validate("eval_report_v1", document.value) : document;
  };
  /** Undefined only if the file does not exist. Any other failure is an error: a gate without its baseline would pass everything. */
  const readBaseline = async (suite: string): Promise<Result<EvalReportV1 | undefined>> => {
    const kept = await readReport(baselineOf(suite));
    if (kept.ok || kept.error.code === "NOT_FOUND") return ok(kept.ok ? kept.value : undefined);
    const file = relative(parts.root, baselineOf(suite));
    const hint = `put a report that lies beside it in its place, or remove it and keep a new one with \`writ eval ${suite} --save-baseline\``;
    return err(
      domainError(
        "MALFORMED_INPUT",
        `the baseline ${file} cannot be read, so nothing was compared: ${kept.error.message}`,
        {
          details: { where: file, hint },
          cause: kept.error,
        },
      ),
    );
  };
  const keep = async (suite: string, names: readonly string[], report: EvalReportV1): Promise<Result<void>> => {
    try {
      await mkdir(join(folder, suite), { recursive: true });
      for (const name of names) await replaceFile(join(folder, suite, name), `${JSON.stringify(report, null, 2)}\n`);
      return ok(undefined);
    } catch (thrown) {
      const message = `the report of ${suite} could not be kept: ${messageOf(thrown)}`;
      return err(domainError("STORE_UNAVAILABLE", message, { cause: thrown }));
    }
  };
  return {
    readReport,
    async load(named, cwd) {
      const isFile = /\.(ya?ml|json)$/.test(named);
      const path = isFile ? resolve(cwd, named) : join(parts.root, "evals", `${named}.yaml`);
      const text = await nodeFiles.readText(path);
      if (!text.ok) {
        const { code, message, details } = text.error;
        const hint = isFile
          ? "a path is looked for from the current folder; a suite in the workspace's evals/ goes by its name: `writ eval greet`"
          : "a suite is a file under evals/, such as evals/greet.yaml";
        return err(
          domainError(code, `the suite ${named} cannot be read: ${message}`, { details: { ...details, hint } }),
        );
      }
      const document = parseYaml(text.value);
      const suite = document.ok ? readSuite(document.value, parts.schemas) : document;
      return suite.ok ? suite : err(unreadable(suite.error, relative(parts.root, path)));
    },
    async run(suite, options) {
      const kept = options.baseline ? ok(options.baseline) : await readBaseline(suite.id);
      if (!kept.ok) return kept;
      const report = await runSuite(suite, evalPorts(parts, clock), options);
      const judged: EvalReportV1 = {
        ...report,
        baseline: kept.value?.ran_at ?? null,
        regressions: kept.value ? [...compareReports(report, kept.value)] : [],
      };
      if (options.signal.aborted) return ok(judged);
      const names = [`${report.ran_at.replaceAll(":", "")}.json`, ...(options.saveBaseline ? [baselineName] : [])];
      const written = await keep(suite.id, names, judged);
      return written.ok ? ok(judged) : written;
    },
    async reports() {
      const suites = await readdir(folder, { recursive: true }).catch(() => []); // no suite was run yet
      const files = suites.filter((file) => file.endsWith(".json") && !file.endsWith(baselineName));
      const read = await Promise.all(files.map((file) => readReport(join(folder, file))));
      return read.flatMap((report) => (report.ok ? [report.value] : [])).sort((a, b) => (a.ran_at < b.ran_at ? 1 : -1));
    },
  };
}

/** A suite that cannot be loaded is wrong input, whatever the cause: a gate must not take it for a regression. */
function unreadable({ message, details, cause }: DomainError, file: string): DomainError {
  return domainError("MALFORMED_INPUT", `${file}: ${message}`, { details: { where: file, ...details }, cause });
}
