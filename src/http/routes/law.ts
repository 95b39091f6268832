import { ok } from "#base";
import { evalDesk, nodeFiles, readConfig, showConfig } from "#compose";
import { fileGates } from "#governance";
import { text } from "../read-query.ts";
import { json, type Route } from "../route.ts";
import type { Services } from "../services.ts";
import { listOf, objectOf } from "./health.ts";

/** The law in force: what may be used, by which rules, and whether its files are as they should be. */
export function lawRoutes({ runtime, clock }: Services): readonly Route[] {
  const list = (name: string, summary: string, read: Route["handle"], each: object = { type: "object" }): Route => ({
    method: "GET",
    path: `/api/v1/${name}`,
    tag: "law",
    summary,
    right: "read",
    answer: { status: 200, description: "All of them.", schema: listOf(name, each) },
    handle: read,
  });
  return [
    list("tools", "The tools that calls may name, with their schemas and pins", async () =>
      ok(
        json({
          tools: runtime.tools
            .list()
            .map(({ name, description, schema_in, schema_out, annotations, origin, hash }) => ({
              name,
              description,
              schema_in,
              schema_out,
              annotations,
              origin,
              hash,
            })),
          next: null,
        }),
      ),
    ),
    list("skills", "The skills, and files that are none", async () => {
      const found = await runtime.skills.discover();
      return found.ok ? ok(json({ ...found.value, next: null })) : found;
    }),
    list(
      "schemas",
      "The ids of the contracts that everything is checked against",
      async () => ok(json({ schemas: runtime.schemas.ids(), next: null })),
      { type: "string" },
    ),
    {
      method: "GET",
      path: "/api/v1/schemas/:schema_id",
      tag: "law",
      summary: "A contract",
      right: "read",
      answer: { status: 200, description: "The JSON Schema.", schema: { type: "object" } },
      async handle({ params }) {
        const found = runtime.schemas.schema(params["schema_id"] ?? "");
        return found.ok ? ok(json(found.value)) : found;
      },
    },
    list("workflows", "The cycles that are registered, and what is wrong with those that are not", async () => {
      const inspected = await runtime.workflows.inspect();
      if (!inspected.ok) return inspected;
      const { cycles, problems } = inspected.value;
      const workflows = [...cycles.values()].map(({ id, definition, phases, hash }) => ({
        cycle_id: id,
        title: definition.data.title ?? "",
        phases: phases.map((phase) => phase.id),
        file: definition.file,
        hash,
      }));
      return ok(json({ workflows, problems, next: null }));
    }),
    {
      method: "GET",
      path: "/api/v1/workflows/:cycle_id",
      tag: "law",
      summary: "A cycle with its phases, transitions and policies, as written",
      right: "read",
      query: {
        law: {
          type: "string",
          description: "As it was then: the `cycle_hash` with which a session's `workflow.started` pinned it.",
          maxLength: 64,
        },
      },
      answer: { status: 200, description: "The cycle.", schema: { type: "object" } },
      async handle({ params, query }) {
        const law = text(query, "law");
        const workflows = law === undefined ? ok(runtime.workflows) : await runtime.workflowsUnder(law);
        if (!workflows.ok) return workflows;
        const registry = await workflows.value.registry();
        if (!registry.ok) return registry;
        const cycle = registry.value.cycle(params["cycle_id"] ?? "");
        if (!cycle.ok) return cycle;
        const { id, definition, phases, entry, policies, law: files, hash } = cycle.value;
        return ok(
          json({
            cycle_id: id,
            definition: definition.data,
            entry: entry.id,
            phases: phases.map((phase) => ({ phase_id: phase.id, ...phase.definition.data })),
            policies: policies.map((policy) => ({ policy_id: policy.id, ...policy.definition.data })),
            law: files.map(({ axis, file, hash: of }) => ({ axis, file, hash: of })),
            hash,
          }),
        );
      },
    },
    list("packages", "What is installed", async () => ok(json({ packages: runtime.packages.desk.list(), next: null }))),
    {
      method: "GET",
      path: "/api/v1/gates",
      tag: "law",
      summary: "Judges the gates over files, now",
      right: "read",
      answer: { status: 200, description: "The verdict.", schema: "gate_report_v1" },
      handle: async () => ok(json(await runtime.gates.check(fileGates))),
    },
    {
      method: "GET",
      path: "/api/v1/config",
      tag: "law",
      summary: "The configuration in force, where each value comes from; secrets are covered",
      right: "read",
      answer: { status: 200, description: "It.", schema: objectOf({ config: { type: "object" } }) },
      async handle() {
        const effective = await readConfig(runtime.root, nodeFiles, {});
        return effective.ok ? ok(json(showConfig(effective.value))) : effective;
      },
    },
    {
      method: "GET",
      path: "/api/v1/evals",
      tag: "law",
      summary: "What suites of cases came to",
      right: "read",
      answer: {
        status: 200,
        description: "Both.",
        schema: objectOf({ results: { type: "array", items: { $ref: "eval_report_v1" } } }),
      },
      handle: async () => ok(json({ results: await evalDesk(runtime, clock).reports() })),
    },
  ];
}
