import { expect, test } from "vitest";
import { screenOf } from "./screen.ts";
import { table } from "./table.ts";

const rows = [
  ["kwap14ab", "success", `a sentence that goes on ${"and on ".repeat(20)}`],
  ["7h7pgvrw", "failed", "short"],
];
const screen = (isTTY: boolean, columns: number) =>
  screenOf({ isTTY, columns, write: () => undefined }, { NO_COLOR: "1" });

test.each([60, 80, 120])(
  "in a terminal of %i columns no line is broken, and the narrow columns stay whole",
  (columns) => {
    const lines = table(screen(true, columns), ["id", "state", "what"], rows).trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    expect(lines[1]).toMatch(/^kwap14ab {2}success {2}a sentence.*…$/);
  },
);

test("a pipe gets everything", () => {
  expect(table(screen(false, 80), ["id", "state", "what"], rows)).toContain(rows[0]?.[2]?.trim());
});
