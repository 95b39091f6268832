import { type MandateV1, shippedRegistry } from "#core/contracts";
import { createMandate, type Mandate } from "#governance/mandate";
import { mandateFor } from "../test/support/mandates.ts";
import type { Bench, Measure } from "./harness.ts";

const schemas = shippedRegistry();

/** A mandate as a platform team writes it: some sources, some globs each, permissions with limits. */
function wideMandate(patterns: number): MandateV1 {
  const globs = Array.from({ length: patterns }, (_, index) => `area-${index}/**/*.md`);
  const source = (document: string) => ({ document, lists: [{ path: "scope.allowed_files", patterns: globs }] });
  const base = mandateFor().document;
  return {
    ...base,
    read: [source("order"), source("framework")],
    write: [source("order"), source("framework"), source("grant")],
    forbidden: [{ document: "order", path: "scope.forbidden_files", patterns: ["pay/**", "**/*.key"] }],
    permissions: [
      { document: "order", path: "tool_permissions[0]", tool: "fs.*", max_calls: 50 },
      {
        document: "order",
        path: "tool_permissions[1]",
        tool: "mail.send",
        args_schema: { type: "object", properties: { to: { type: "string", pattern: "@example\\.org$" } } },
      },
    ],
  };
}

function made(document: MandateV1): Mandate {
  const mandate = createMandate(document, schemas);
  if (!mandate.ok) throw new Error(mandate.error.message);
  return mandate.value;
}

const rounds = 20_000;

/** Microseconds of one act, over some thousand. */
function each(act: (index: number) => unknown, count = rounds): number {
  const start = performance.now();
  for (let index = 0; index < count; index++) act(index);
  return ((performance.now() - start) * 1000) / count;
}

const args = { to: "ada@example.org" };

/** Compiling a mandate, and one decision of each kind. The limit is what one lookup in a Set costs: what a bare allow list does. */
export const bench: Bench = {
  title: "mandate: compile and decide",
  peers: false,
  measures(): readonly Measure[] {
    const mandate = made(wideMandate(10));
    const wide = made(wideMandate(100));
    const names = new Set(["fs.read", "mail.send"]);
    const measure = (name: string, act: (index: number) => unknown): Measure => ({
      name,
      unit: "us",
      rounds: 9,
      warmups: 2,
      contenders: [
        { name: "a lookup in a list of names", role: "limit", sample: () => each(() => names.has("mail.send")) },
        { name: "writ", role: "writ", sample: () => each(act) },
      ],
      goals: [],
    });
    return [
      measure("a tool call with its arguments", () =>
        mandate.decide({ kind: "tool", tool: "mail.send", args, charged: { of: () => 0 } }),
      ),
      measure("a path to read, 10 globs", (index) => mandate.decide({ kind: "read", path: `area-9/${index}/a.md` })),
      measure("a path to write, 100 globs", (index) => wide.decide({ kind: "write", path: `area-99/${index}/a.md` })),
      {
        ...measure("compile", () => undefined),
        contenders: [
          { name: "writ, 10 globs", role: "writ", sample: () => each(() => made(wideMandate(10)), 50) },
          { name: "writ, 100 globs", role: "writ", sample: () => each(() => made(wideMandate(100)), 50) },
        ],
      },
    ];
  },
};
