import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shippedRegistry } from "#core/contracts";
import { nodeFiles } from "#core/machine";
import { createWorkflows } from "../src/workflows/definitions/registry.ts";
import type { Bench } from "./harness.ts";
import { benchRuntime, perSecond } from "./support/runtime.ts";

const phases = Array.from({ length: 10 }, (_, index) => `step-${index}`);

/** A cycle of ten phases, a persona and a gate in each. */
function writeCycle(root: string): void {
  const write = (path: string, head: string) => {
    mkdirSync(join(root, "workflows", path, ".."), { recursive: true });
    writeFileSync(join(root, "workflows", path), `---\n${head}\nschema_version: v1\n---\nWork.\n`);
  };
  write("cycles/ten.md", `id: ten\nphases: [${phases.join(", ")}]\nentry_phase: step-0\npolicies: [gate]`);
  write(
    "policies/gate.md",
    "id: gate\nkind: loop-halt\nrules:\n  - { when: budget.share_left < 0.1, then: halt, reason: x }\ndefault: allow",
  );
  for (const id of phases) {
    write(`phases/${id}.md`, `id: ${id}\nadvance_signal: output.output == 'ok'\nagents_invoked: [doer]`);
  }
  write("personas/worker/doer.md", "name: doer\ndescription: Does it.");
}

/** A thousand definitions: 100 cycles of two phases with a policy, personas and artifacts of their own. */
function writeThousand(root: string): void {
  const write = (path: string, head: string) =>
    writeFileSync(join(root, "workflows", path), `---\n${head}\nschema_version: v1\n---\nText.\n`);
  for (const folder of ["cycles", "phases", "policies", "personas/reviewer", "personas/worker", "artifacts"])
    mkdirSync(join(root, "workflows", folder), { recursive: true });
  for (let index = 0; index < 100; index++) {
    write(
      `cycles/c${index}.md`,
      `id: c${index}\nphases: [a${index}, b${index}]\nentry_phase: a${index}\npolicies: [p${index}, q${index}]`,
    );
    write(
      `phases/a${index}.md`,
      `id: a${index}\nadvance_signal: output.steps.size() > ${index}\nagents_invoked: [w${index}]\noutput_schema: plan_v1\nartifacts: [x${index}]`,
    );
    write(
      `phases/b${index}.md`,
      `id: b${index}\nadvance_signal: review_aggregate.p0_unresolved <= ${index}\nagents_invoked: [r${index}, s${index}]\nartifacts: [y${index}]`,
    );
    write(
      `policies/p${index}.md`,
      `id: p${index}\nkind: severity-routing\nrules:\n  - { when: finding.line > ${index}, then: manual, reason: x }\ndefault: advisory`,
    );
    write(
      `policies/q${index}.md`,
      `id: q${index}\nkind: confidence-gating\nrules:\n  - { when: finding.confidence < ${index}, then: suppressed, reason: x }\ndefault: allow`,
    );
    write(`personas/worker/w${index}.md`, `name: w${index}\ndescription: Works.`);
    for (const name of ["r", "s"])
      write(`personas/reviewer/${name}${index}.md`, `name: ${name}${index}\ndescription: Reviews.`);
    for (const name of ["x", "y"])
      write(
        `artifacts/${name}${index}-template.md`,
        `id: ${name}${index}\nnaming: output/{run}-${name}${index}.md\nschema: ${name === "x" ? "plan_v1" : "review_aggregate_v1"}${name === "y" ? "\nfrom: review_aggregate" : ""}`,
      );
  }
}

/** Phase transitions with recorded personas, everything announced durably; and what it takes to load definitions. */
export const bench: Bench = {
  title: "workflow: phase transitions with recorded personas, and loading definitions",
  peers: false,
  async measures() {
    const made = await benchRuntime([
      { respond: { json: { output: "ok", steps_completed: [], schema_version: "v1" } } },
    ]);
    writeCycle(made.root);
    const { runtime } = made;
    const cycle = async () => {
      const result = await runtime.runFlow(
        { work_order: made.order({ type: "cycle", cycle: "ten", tool_permissions: [] }), caller_id: runtime.caller },
        { fresh: true },
      );
      if (result.verdict !== "done") throw new Error(`${result.status}: ${result.error}`);
    };
    const root = mkdtempSync(join(tmpdir(), "writ-bench-"));
    writeThousand(root);
    process.on("exit", () => rmSync(root, { recursive: true, force: true }));
    const workflows = () =>
      createWorkflows({ files: nodeFiles, schemas: shippedRegistry(), roots: [{ origin: "workspace", folder: root }] });
    const warm = workflows();
    const load = async (from: ReturnType<typeof workflows>) => {
      const started = performance.now();
      const registry = await from.registry();
      if (!registry.ok) throw new Error(registry.error.message);
      if (registry.value.list().length !== 100) throw new Error("not all were loaded");
      return performance.now() - started;
    };
    const transitions = [1, 50].map((width) => ({
      name: `transitions, ${width} cycles at once`,
      unit: "phase transitions a second",
      rounds: 5,
      warmups: 1,
      contenders: [
        {
          name: "Writ",
          role: "writ" as const,
          sample: async () => phases.length * (await perSecond(width === 1 ? 5 : 50, width, cycle)),
        },
      ],
      goals: [],
    }));
    return [
      ...transitions,
      {
        name: "1,000 definitions",
        unit: "ms to load",
        rounds: 5,
        warmups: 1,
        contenders: [
          { name: "Writ, all parsed and linked", role: "writ" as const, sample: () => load(workflows()) },
          { name: "Writ, nothing changed", role: "writ" as const, sample: () => load(warm) },
        ],
        goals: [],
      },
    ];
  },
};
