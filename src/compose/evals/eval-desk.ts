import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { type Clock, domainError, err, messageOf, ok, parseJson, type Result } from "#base";
import { compareReports, type RunOptions, readSuite, runSuite, type Suite } from "#evals";
import { type EvalReportV1, parseYaml } from "#schemas";
import type { Runtime } from "../runtime/runtime.ts";
import { evalPorts } from "./eval-ports.ts";

export interface EvalOptions extends RunOptions {
  /** Keep this report as what later ones are compared with. */
  readonly saveBaseline?: boolean;
  /** A report to compare with, instead of the one that was kept. */
  readonly baseline?: EvalReportV1;
}

/** Suites of a workspace: run, kept, compared. Reports lie on the hot plane, where no turn can write. */
export interface EvalDesk {
  /** A suite by its file, or by its name in `evals/`. */
  load(name: string): Promise<Result<Suite>>;
  run(suite: Suite, options: EvalOptions): Promise<Result<EvalReportV1>>;
  readReport(file: string): Promise<Result<EvalReportV1>>;
  /** Every report that was kept, newest first. */
  reports(): Promise<readonly EvalReportV1[]>;
}

export function evalDesk(runtime: Runtime, clock: Clock): EvalDesk {
  const folder = join(runtime.root, "planes", "hot", "evals");
  const baselineOf = (suite: string) => join(folder, suite, "baseline.json");
  const readReport = async (file: string): Promise<Result<EvalReportV1>> => {
    try {
      const document = parseJson(await readFile(file, "utf8"));
      return document.ok ? runtime.schemas.validate("eval_report_v1", document.value) : document;
    } catch (thrown) {
      return err(domainError("NOT_FOUND", `${file} cannot be read: ${messageOf(thrown)}`, { cause: thrown }));
    }
  };
  return {
    readReport,
    async load(name) {
      const file = /\.(ya?ml|json)$/.test(name) ? name : join("evals", `${name}.yaml`);
      const path = isAbsolute(file) ? file : join(runtime.root, file);
      let text: string;
      try {
        text = await readFile(path, "utf8");
      } catch (thrown) {
        const isAbsent = thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
        const wrong = isAbsent ? `there is no file ${file}` : messageOf(thrown);
        const hint = "a suite is a file under evals/, such as evals/greet.yaml";
        return err(
          domainError("NOT_FOUND", `the suite ${name} cannot be read: ${wrong}`, {
            details: { hint },
            cause: thrown,
          }),
        );
      }
      const document = parseYaml(text);
      return document.ok ? readSuite(document.value, runtime.schemas) : document;
    },
    async run(suite, options) {
      const report = await runSuite(suite, evalPorts(runtime, clock), options);
      const kept = options.baseline ? ok(options.baseline) : await readReport(baselineOf(suite.id));
      const judged: EvalReportV1 = {
        ...report,
        baseline: kept.ok ? kept.value.ran_at : null,
        regressions: kept.ok ? [...compareReports(report, kept.value)] : [],
      };
      if (options.signal.aborted) return ok(judged);
      const text = `${JSON.stringify(judged, null, 2)}\n`;
      await mkdir(join(folder, suite.id), { recursive: true });
      await writeFile(join(folder, suite.id, `${report.ran_at.replaceAll(":", "")}.json`), text);
      if (options.saveBaseline) await writeFile(baselineOf(suite.id), text);
      return ok(judged);
    },
    async reports() {
      const suites = await readdir(folder, { recursive: true }).catch(() => []); // nobody has run a suite yet
      const files = suites.filter((file) => file.endsWith(".json") && !file.endsWith("baseline.json"));
      const read = await Promise.all(files.map((file) => readReport(join(folder, file))));
      return read.flatMap((report) => (report.ok ? [report.value] : [])).sort((a, b) => (a.ran_at < b.ran_at ? 1 : -1));
    },
  };
}
