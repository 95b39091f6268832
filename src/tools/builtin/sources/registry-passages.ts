import type { Passage } from "./split-passages.ts";

/** Each row of a registry, in words: `framework_id: FMWK-005; title: …`. Quoted cells are what `registries/` never needs. */
export function registryPassages(csv: string): readonly Passage[] {
  const [header = "", ...rows] = csv.split(/\r?\n/);
  const columns = header.split(",");
  return rows.flatMap((row, index) => {
    if (row.trim() === "") return [];
    const cells = row.split(",");
    const text = columns.map((column, at) => `${column}: ${cells[at] ?? ""}`).join("; ");
    return [{ heading: cells[1] ?? "", start_line: index + 2, end_line: index + 2, text }];
  });
}
