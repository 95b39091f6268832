import type { Event, EventType } from "#log";
import type { FlowOptions, FlowResult } from "#work";
import { type TestWorkspace, testWorkspace, type WorkspaceOptions } from "./runtime-workspace.ts";

/** A small world of definitions: two reviewers at once, a worker, a gate and a loop. Nothing of it ships with Writ. */
export const definitions: Readonly<Record<string, string>> = {
  "workflows/cycles/tidy.md": `---
id: tidy
phases: [make, look]
entry_phase: make
transitions:
  - { from: look, to: make, when: review_aggregate.p1_unresolved > 0, reason: something serious is left }
policies: [tidy-floor, tidy-gate, tidy-rights, tidy-loop]
loop_bounds: { max_generations: 3, max_phase_visits: 3 }
schema_version: v1
---
`,
  "workflows/phases/make.md": `---
id: make
advance_signal: output.output != ""
agents_invoked: [maker]
schema_version: v1
---
Make it tidy.
`,
  "workflows/phases/look.md": `---
id: look
advance_signal: review_aggregate.p0_unresolved == 0
agents_invoked: [sharp-eye, { persona: soft-eye, optional: true }]
artifacts: [tidy-report]
schema_version: v1
---
Is it tidy?
`,
  "workflows/policies/tidy-floor.md": `---
id: tidy-floor
kind: confidence-gating
rules:
  - { when: finding.confidence < 50, then: suppressed, reason: nobody is sure }
default: allow
schema_version: v1
---
`,
  "workflows/policies/tidy-gate.md": `---
id: tidy-gate
kind: severity-routing
rules:
  - { when: finding.severity == 'P0', then: deny, reason: a P0 stops it }
  - { when: finding.autofix_class == 'safe_auto', then: apply, reason: safe }
default: advisory
schema_version: v1
---
`,
  "workflows/policies/tidy-rights.md": `---
id: tidy-rights
kind: role-permissions
rules:
  - { when: persona.role == 'worker', then: allow, reason: workers write, write_paths: ["output/tidy/**"] }
  - { when: persona.role == 'reviewer', then: allow, reason: reviewers read, write_paths: [] }
schema_version: v1
---
`,
  "workflows/policies/tidy-loop.md": `---
id: tidy-loop
kind: loop-halt
parameters: { oscillation_window: 4 }
rules: []
default: allow
schema_version: v1
---
`,
  "workflows/personas/worker/maker.md": `---
name: maker
description: Makes things tidy.
allowed-tools: [fs.write]
write-paths: ["output/**", "notes/**"]
---
Tidy up.
`,
  "workflows/personas/reviewer/sharp-eye.md":
    '---\nname: sharp-eye\ndescription: Sees much.\nallowed-tools: [fs.write]\nwrite-paths: ["output/**"]\n---\nLook hard.\n',
  "workflows/personas/reviewer/soft-eye.md": "---\nname: soft-eye\ndescription: Sees little.\n---\nLook kindly.\n",
  "workflows/artifacts/tidy-report-template.md": `---
id: tidy-report
naming: output/tidy/{cycle}-{generation}-{run}.md
schema: review_aggregate_v1
from: review_aggregate
schema_version: v1
---
# {{verdict}}

{{findings}}
`,
};

export function finding(changes: object = {}): object {
  return { title: "Dust", severity: "P2", confidence: 75, file: "a.ts", line: 3, category: "dust", ...changes };
}

export function findings(...list: readonly object[]): object {
  return { json: { findings: list, files: ["a.ts"], schema_version: "v1" } };
}

export const made: object = { json: { output: "tidied", steps_completed: ["s1"], schema_version: "v1" } };

export interface CycleWorkspace extends TestWorkspace {
  run(
    cycle: string,
    wanted?: Parameters<TestWorkspace["runtime"]["writeCycleOrder"]>[1],
    options?: FlowOptions,
  ): Promise<FlowResult>;
  /** Payloads of one type of event, in order. */
  told<T extends EventType>(result: FlowResult, type: T): Promise<readonly Event<T>["payload"][]>;
}

/** A workspace with the small world of definitions; `rules` answer for its personas. */
export async function cycleWorkspace(options: WorkspaceOptions = {}): Promise<CycleWorkspace> {
  const workspace = await testWorkspace({ ...options, files: { ...definitions, ...options.files } });
  return Object.assign(Object.create(workspace) as TestWorkspace, {
    async run(cycle: string, wanted = {}, flow: FlowOptions = {}) {
      const order = await workspace.runtime.writeCycleOrder(cycle, wanted);
      if (!order.ok) throw new Error(order.error.message);
      return workspace.runtime.runFlow(
        { work_order: { ...order.value }, caller_id: workspace.runtime.caller },
        { fresh: true, ...flow },
      );
    },
    async told<T extends EventType>(result: FlowResult, type: T) {
      const events = await workspace.events(result.session_id);
      return events.filter((event): event is Event<T> => event.type === type).map(({ payload }) => payload);
    },
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  });
}
