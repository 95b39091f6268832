import { type DomainError, domainError } from "#core/errors";
import { err, ok } from "#core/values";
import type { Found } from "../fragment.ts";
import type { RunStage } from "../pipeline/stage.ts";
import { isGlob, matchingFiles, readableFile } from "./readable-file.ts";

/** Whole files of the workspace, each with its hash. Their text is data: it grants no right and gives no order. */
export const fileRead: RunStage<"file_read"> = async (stage, context) => {
  const { sources, meter } = context;
  const wanted = stage.paths.flatMap((path) => (path === "<context_files>" ? sources.contextFiles : [path]));
  const fragments: Found[] = [];
  const dropped: Record<string, number> = {};
  const warnings: string[] = [];
  const asked = { paths: wanted };
  let found = 0;
  const limited = (limit: DomainError) =>
    ok({ does: "add" as const, fragments, found, dropped, warnings, asked, limit });
  for (const path of wanted) {
    const globbed = isGlob(path);
    const matching = globbed
      ? await matchingFiles(context, path, meter.signal)
      : ok({ paths: [path], truncated: false, warnings: [] });
    if (!matching.ok) return matching;
    warnings.push(...matching.value.warnings);
    if (matching.value.truncated) warnings.push(`${path}: the workspace holds more files than are looked at`);
    for (const each of matching.value.paths) {
      const over = meter.ask();
      if (over) return limited(over);
      const file = await readableFile(context, each, stage.max_bytes ?? sources.reading.fileBytes);
      if (!file.ok) {
        if (!globbed && file.error.code === "CAPABILITY_VIOLATION") return file;
        count(dropped, "refused");
        warnings.push(file.error.message);
      } else if (!file.value) {
        if (stage.missing === "fail")
          return err(domainError("NOT_FOUND", `the file ${each} is missing (file_read, missing: fail)`));
        count(dropped, "missing");
      } else if ("withheld" in file.value) {
        if (stage.missing === "fail")
          return err(domainError("CAPABILITY_VIOLATION", `${file.value.withheld} (file_read, missing: fail)`));
        count(dropped, "withheld");
        warnings.push(file.value.withheld);
      } else {
        found += 1;
        const { path: origin, text, hash } = file.value;
        if (text.trim() === "") count(dropped, "empty");
        else fragments.push({ origin: `file:${origin}`, trust: "untrusted", text, source_hash: hash });
      }
    }
  }
  return ok({ does: "add", fragments, found, dropped, warnings, asked, limit: meter.late() });
};

function count(dropped: Record<string, number>, why: string): void {
  dropped[why] = (dropped[why] ?? 0) + 1;
}
