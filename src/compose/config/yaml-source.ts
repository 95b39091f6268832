import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { domainError, err, ok, type Result } from "#base";

/** A YAML text with the line of everything in it, so that a complaint can point. */
export interface YamlSource {
  readonly value: unknown;
  /** The line of the key or item at this path, or of the nearest place above it that is there. */
  lineOf(path: readonly (string | number)[]): number;
}

export function parseYamlSource(text: string, file: string): Result<YamlSource> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, strict: true });
  const [problem] = document.errors;
  if (problem) {
    const line = problem.linePos?.[0].line ?? 1;
    const [what = "not YAML"] = problem.message.split(/ at line |\n/);
    return err(
      domainError("CONFIG_INVALID", `${file}:${line}: not readable as YAML: ${what}`, {
        details: { where: `${file}:${line}` },
      }),
    );
  }

  const lineOf = (path: readonly (string | number)[]): number => {
    let node: unknown = document.contents;
    let offset = 0;
    for (const part of path) {
      if (isMap(node)) {
        const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part));
        if (!pair || !isScalar(pair.key)) break;
        offset = pair.key.range?.[0] ?? offset;
        node = pair.value;
      } else if (isSeq(node)) {
        node = node.items[Number(part)];
        offset = rangeStart(node) ?? offset;
      } else break;
    }
    return lines.linePos(offset).line;
  };
  try {
    return ok({ value: document.toJS({ maxAliasCount: 100 }), lineOf });
  } catch (thrown) {
    return err(
      domainError("CONFIG_INVALID", `${file}: ${(thrown as Error).message}`, {
        details: { where: file },
        cause: thrown,
      }),
    );
  }
}

function rangeStart(node: unknown): number | undefined {
  return isMap(node) || isSeq(node) || isScalar(node) ? node.range?.[0] : undefined;
}
