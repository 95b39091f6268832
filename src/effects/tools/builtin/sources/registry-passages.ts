import type { Passage } from "./split-passages.ts";

/** Each row of a registry as a sentence. Quoted cells are what `registries/` never needs. */
export function registryPassages(csv: string): readonly Passage[] {
  const [header = "", ...rows] = csv.split(/\r?\n/);
  const columns = header.split(",");
  return rows.flatMap((row, index) => {
    if (row.trim() === "") return [];
    const cells = row.split(",");
    const [id = "", title = ""] = cells;
    const rest = columns.flatMap((column, at) => (at > 1 && cells[at] ? [`${column} ${cells[at]}`] : []));
    const text = `${id} is registered as ${title}${rest.length > 0 ? `, with ${rest.join(", ")}` : ""}.`;
    return [{ heading: title, start_line: index + 2, end_line: index + 2, text }];
  });
}
