import type { Skills } from "#agents";
import type { EvalReportV1, SchemaRegistry } from "#core/contracts";
import { nodeFiles } from "#core/machine";
import {
  arrayOf,
  type Fields,
  is,
  json,
  listOf,
  objectOf,
  orNull,
  phaseFields,
  policyFields,
  type Route,
  type Shape,
  text,
} from "#core/routes";
import { ok, type Result } from "#core/values";
import type { ToolRegistry } from "#effects";
import { fileGates, type GateService, type PackageInstaller } from "#governance";
import type { Workflows } from "#workflows";
import { readConfig, showConfig } from "#workspace";

const tool = objectOf({
  name: is.text,
  description: is.text,
  schema_in: is.schema,
  schema_out: is.schema,
  annotations: objectOf({}, { readOnly: is.flag, destructive: is.flag, idempotent: is.flag, openWorld: is.flag }),
  origin: { type: "string", description: "`builtin`, or the server that offers it." },
  hash: is.hash,
});
const skill = objectOf({
  id: is.text,
  description: is.text,
  triggers: arrayOf(is.text),
  allowedTools: { ...arrayOf(is.text), description: "Globs; an empty list allows none, where `limitsTools`." },
  limitsTools: {
    type: "boolean",
    description: "Whether it has a list of tools; without one it takes those of its order.",
  },
  frontmatter: { $ref: "skill_frontmatter_v1" },
  body: is.text,
  origin: { enum: ["workspace", "agents", "shipped"] },
  path: is.text,
  hash: is.hash,
  notes: { ...arrayOf(is.text), description: "What was read differently from how it was written." },
});
const listedCycle = objectOf({
  cycle_id: is.text,
  title: is.text,
  phases: arrayOf(is.text),
  file: is.text,
  hash: is.hash,
});
const problem = objectOf({ file: is.text, line: is.count, rule: is.text, message: is.text, hint: is.text });
const cycleShape = objectOf({
  cycle_id: is.text,
  definition: { $ref: "cycle_v1" },
  entry: is.text,
  phases: arrayOf(objectOf({ phase_id: is.text, ...phaseFields.always }, phaseFields.maybe)),
  policies: arrayOf(objectOf({ policy_id: is.text, ...policyFields.always }, policyFields.maybe)),
  law: {
    ...arrayOf(objectOf({ axis: is.text, file: is.text, hash: is.hash })),
    description: "Every file that it consists of.",
  },
  hash: is.hash,
});
const installed = objectOf({
  package_id: is.text,
  version: is.text,
  title: orNull(is.text),
  home: { enum: ["shipped", "workspace"] },
  layer: is.count,
  spec_id: is.text,
  files: is.count,
});
const shownConfig = objectOf({
  config: { $ref: "writ_config_v1" },
  values: arrayOf(objectOf({ path: is.text, value: {}, origin: is.text })),
});

export interface ContractRouteParts {
  /** The workspace, absolute. */
  readonly root: string;
  readonly tools: Pick<ToolRegistry, "list">;
  readonly skills: Pick<Skills, "discover">;
  readonly schemas: Pick<SchemaRegistry, "ids" | "schema">;
  readonly workflows: Pick<Workflows, "inspect" | "registry">;
  /** The workflows as a session pinned them, by the hash of its cycle. */
  readonly workflowsUnder: (manifest: string) => Promise<Result<Pick<Workflows, "registry">>>;
  readonly packages: { readonly installer: Pick<PackageInstaller, "list"> };
  readonly gates: Pick<GateService, "check">;
  readonly evals: { reports(): Promise<readonly EvalReportV1[]> };
}

function list(
  name: string,
  summary: string,
  read: Route<ContractRouteParts>["handle"],
  { each, more = {} }: { readonly each: Shape; readonly more?: Fields },
): Route<ContractRouteParts> {
  return {
    method: "GET",
    path: `/api/v1/${name}`,
    tag: "law",
    summary,
    right: "read",
    query: {},
    headers: {},
    body: null,
    answer: { status: 200, description: "All of them.", schema: listOf(name, each, more) },
    otherAnswers: [],
    reserveId: null,
    isSecret: false,
    isProbe: false,
    handle: read,
  };
}

/** The definitions and settings in force, and whether their files pass the gates. */
export const contractRoutes: readonly Route<ContractRouteParts>[] = [
  list(
    "tools",
    "The tools that calls may name, with their schemas and pins",
    async ({ tools }) =>
      ok(
        json({
          tools: tools.list().map(({ name, description, schema_in, schema_out, annotations, origin, hash }) => ({
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
    { each: tool },
  ),
  list(
    "skills",
    "The skills, and files that are none",
    async ({ skills }) => {
      const found = await skills.discover();
      return found.ok ? ok(json({ ...found.value, next: null })) : found;
    },
    { each: skill, more: { skipped: arrayOf({ $ref: "skill.skipped_v1" }) } },
  ),
  list(
    "schemas",
    "The ids of the contracts that everything is checked against",
    async ({ schemas }) => ok(json({ schemas: schemas.ids(), next: null })),
    { each: is.text },
  ),
  {
    method: "GET",
    path: "/api/v1/schemas/:schema_id",
    tag: "law",
    summary: "A contract",
    right: "read",
    query: {},
    headers: {},
    body: null,
    answer: { status: 200, description: "The contract.", schema: is.schema },
    otherAnswers: [],
    reserveId: null,
    isSecret: false,
    isProbe: false,
    async handle({ schemas }, { params }) {
      const found = schemas.schema(params["schema_id"] ?? "");
      return found.ok ? ok(json(found.value)) : found;
    },
  },
  list(
    "workflows",
    "The cycles that are registered, and what is wrong with those that are not",
    async ({ workflows }) => {
      const inspected = await workflows.inspect();
      if (!inspected.ok) return inspected;
      const { cycles, problems } = inspected.value;
      const listed = [...cycles.values()].map(({ id, definition, phases, hash }) => ({
        cycle_id: id,
        title: definition.data.title ?? "",
        phases: phases.map((phase) => phase.id),
        file: definition.file,
        hash,
      }));
      return ok(json({ workflows: listed, problems, next: null }));
    },
    { each: listedCycle, more: { problems: arrayOf(problem) } },
  ),
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
    headers: {},
    body: null,
    answer: { status: 200, description: "The cycle.", schema: cycleShape },
    otherAnswers: [],
    reserveId: null,
    isSecret: false,
    isProbe: false,
    async handle({ workflows, workflowsUnder }, { params, query }) {
      const manifest = text(query, "law");
      const wanted = manifest === undefined ? ok(workflows) : await workflowsUnder(manifest);
      if (!wanted.ok) return wanted;
      const registry = await wanted.value.registry();
      if (!registry.ok) return registry;
      const cycle = registry.value.cycle(params["cycle_id"] ?? "");
      if (!cycle.ok) return cycle;
      const { id, definition, phases, entry, policies, definitions, hash } = cycle.value;
      return ok(
        json({
          cycle_id: id,
          definition: definition.data,
          entry: entry.id,
          phases: phases.map((phase) => ({ phase_id: phase.id, ...phase.definition.data })),
          policies: policies.map((policy) => ({ policy_id: policy.id, ...policy.definition.data })),
          law: definitions.map(({ axis, file, hash: of }) => ({ axis, file, hash: of })),
          hash,
        }),
      );
    },
  },
  list(
    "packages",
    "What is installed",
    async ({ packages }) => ok(json({ packages: packages.installer.list(), next: null })),
    {
      each: installed,
    },
  ),
  {
    method: "GET",
    path: "/api/v1/gates",
    tag: "law",
    summary: "Judges the gates over files, now",
    right: "read",
    query: {},
    headers: {},
    body: null,
    answer: { status: 200, description: "The verdict.", schema: "gate_report_v1" },
    otherAnswers: [],
    reserveId: null,
    isSecret: false,
    isProbe: false,
    handle: async ({ gates }) => ok(json(await gates.check(fileGates))),
  },
  {
    method: "GET",
    path: "/api/v1/config",
    tag: "law",
    summary: "The configuration in force, where each value comes from; secrets are covered",
    right: "read",
    query: {},
    headers: {},
    body: null,
    answer: { status: 200, description: "It.", schema: shownConfig },
    otherAnswers: [],
    reserveId: null,
    isSecret: false,
    isProbe: false,
    async handle({ root }) {
      const effective = await readConfig(root, nodeFiles, {});
      return effective.ok ? ok(json(showConfig(effective.value))) : effective;
    },
  },
  {
    method: "GET",
    path: "/api/v1/evals",
    tag: "law",
    summary: "What suites of cases came to",
    right: "read",
    query: {},
    headers: {},
    body: null,
    answer: {
      status: 200,
      description: "The reports that were kept, the newest first.",
      schema: objectOf({ results: arrayOf({ $ref: "eval_report_v1" }) }),
    },
    otherAnswers: [],
    reserveId: null,
    isSecret: false,
    isProbe: false,
    handle: async ({ evals }) => ok(json({ results: await evals.reports() })),
  },
];
