import type { SchemaRegistry } from "#core/contracts";
import { type Compiled, compileExpression } from "#core/expressions";
import { canonicalJson, sha256 } from "#core/values";
import type { Cycle, Invoked, Persona, Phase, Policy, Rule } from "./cycle.ts";
import type {
  ArtifactDefinition,
  CycleDefinition,
  Definition,
  PhaseDefinition,
  PolicyDefinition,
} from "./definition.ts";
import { type DefinitionIndex, keyOf, partOf, unknownId } from "./definition-index.ts";
import { type ExpressionPlace, namesAt, whyUnknown } from "./known-variables.ts";
import { badNaming } from "./naming.ts";
import type { Problem } from "./problem.ts";

/** Resolves every reference and plans every expression. What cannot be resolved or planned is a problem with its line. */
export function link(
  index: DefinitionIndex,
  schemas: SchemaRegistry,
): { readonly cycles: ReadonlyMap<string, Cycle>; readonly problems: readonly Problem[] } {
  const linker = new Linker(index, schemas);
  for (const phase of index.phases.values()) linker.phase(phase);
  for (const policies of index.policies.values()) for (const policy of policies) linker.policy(policy);
  for (const persona of index.personas.values()) linker.persona(persona.id);
  for (const artifact of index.artifacts.values()) linker.artifact(artifact);
  const cycles = new Map<string, Cycle>();
  for (const definition of index.cycles.values()) {
    const cycle = linker.cycle(definition);
    if (cycle) cycles.set(cycle.id, cycle);
  }
  return { cycles, problems: linker.problems };
}

/** Links one policy that is not in the index against the definitions that are. */
export function linkPolicy(
  definition: PolicyDefinition,
  index: DefinitionIndex,
  schemas: SchemaRegistry,
): { readonly policy: Policy | null; readonly problems: readonly Problem[] } {
  const linker = new Linker(index, schemas);
  const policy = linker.policy(definition);
  return { policy, problems: linker.problems };
}

class Linker {
  readonly problems: Problem[] = [];
  readonly #definitions: DefinitionIndex;
  readonly #schemas: SchemaRegistry;
  readonly #phases = new Map<string, Phase | null>();
  readonly #policies = new Map<PolicyDefinition, Policy | null>();
  readonly #personas = new Map<string, Persona | null>();

  constructor(index: DefinitionIndex, schemas: SchemaRegistry) {
    this.#definitions = index;
    this.#schemas = schemas;
  }

  cycle(definition: CycleDefinition): Cycle | null {
    const { data } = definition;
    const before = this.problems.length;
    const phases = data.phases.map((id, index) => this.#phaseOf(definition, id, `$.phases[${index}]`));
    const entry = phases.find((phase) => phase?.id === data.entry_phase);
    if (!data.phases.includes(data.entry_phase))
      this.#add(definition, "$.entry_phase", {
        rule: "unknown-phase",
        message: `the entry phase ${data.entry_phase} is not one of the cycle's phases`,
        hint: "add it to phases, or begin with one of them",
      });
    const transitions = (data.transitions ?? []).map(({ from, to, when, reason }, index) => {
      const path = `$.transitions[${index}]`;
      for (const [end, id] of [
        ["from", from],
        ["to", to],
      ] as const)
        if (!data.phases.includes(id))
          this.#add(definition, `${path}.${end}`, {
            rule: "unknown-phase",
            message: `the transition goes ${end} ${id}, which is not one of the cycle's phases`,
            hint: "add it to phases, or name another",
          });
      const compiled = this.#expression(definition, `${path}.when`, when, "signal");
      return compiled ? { from, to, when: compiled, reason: reason ?? when } : null;
    });
    const { done, abort } = data.exit_conditions ?? {};
    const conditions = {
      entryCondition: this.#optional(definition, "$.entry_condition", data.entry_condition, "entry"),
      done: this.#optional(definition, "$.exit_conditions.done", done, "signal"),
      abort: this.#optional(definition, "$.exit_conditions.abort", abort, "signal"),
    };
    const policies = this.#policiesOf(definition, data.policies ?? []);
    for (const [index, id] of (data.artifacts ?? []).entries())
      this.#artifactOf(definition, id, `$.artifacts[${index}]`);
    if (data.input_schema !== undefined) this.#schema(definition, "$.input_schema", data.input_schema);
    if (this.problems.length > before || !entry || phases.includes(null) || transitions.includes(null)) return null;
    const whole = phases as Phase[];
    const definitions = definitionsOf(definition, whole, policies);
    return {
      id: definition.id,
      definition,
      phases: whole,
      entry,
      ...conditions,
      transitions: transitions.filter((each) => each !== null),
      policies,
      definitions,
      hash: sha256(canonicalJson(definitions.map(({ axis, id, hash }) => ({ axis, id, hash })))),
    };
  }

  phase(definition: PhaseDefinition): Phase | null {
    const known = this.#phases.get(definition.id);
    if (known !== undefined) return known;
    const { data } = definition;
    const before = this.problems.length;
    const advance = this.#expression(definition, "$.advance_signal", data.advance_signal, "signal");
    const halt = this.#optional(definition, "$.halt_signal", data.halt_signal, "signal");
    const agents = (data.agents_invoked ?? []).map((agent, index) => this.#invoked(definition, agent, index));
    this.#checkAgents(definition, agents);
    const policies = this.#policiesOf(definition, data.policies ?? []);
    const artifacts = (data.artifacts ?? []).map((id, index) =>
      this.#artifactOf(definition, id, `$.artifacts[${index}]`),
    );
    for (const name of ["input_schema", "output_schema"] as const)
      if (data[name] !== undefined) this.#schema(definition, `$.${name}`, data[name]);
    const phase =
      this.problems.length > before || !advance
        ? null
        : {
            id: definition.id,
            definition,
            advance,
            halt,
            agents: agents as Invoked[],
            policies,
            artifacts: artifacts as ArtifactDefinition[],
          };
    this.#phases.set(definition.id, phase);
    return phase;
  }

  policy(definition: PolicyDefinition): Policy | null {
    const known = this.#policies.get(definition);
    if (known !== undefined) return known;
    const { data } = definition;
    const before = this.problems.length;
    const rules = data.rules.map((rule, index): Rule | null => {
      const path = `$.rules[${index}]`;
      const when = this.#expression(definition, `${path}.when`, rule.when, data.kind);
      for (const [at, id] of (rule.personas ?? []).entries())
        if (!this.#definitions.personas.has(id)) this.#unknown(definition, `${path}.personas[${at}]`, "persona", id);
      for (const [at, id] of (rule.artifacts ?? []).entries())
        this.#artifactOf(definition, id, `${path}.artifacts[${at}]`);
      return (
        when && {
          when,
          then: rule.then,
          reason: rule.reason,
          personas: rule.personas ?? null,
          writePaths: rule.write_paths ?? null,
          artifacts: rule.artifacts ?? null,
          mode: rule.mode ?? null,
          each: rule.each ?? null,
          line: definition.lineOf(path),
        }
      );
    });
    const grade = this.#optional(definition, "$.parameters.grade", data.parameters?.grade, "signal");
    const policy: Policy | null =
      this.problems.length > before
        ? null
        : {
            id: definition.id,
            definition,
            kind: data.kind,
            rules: rules as Rule[],
            default: data.default ?? (data.kind === "value-rights" ? "ask" : "deny"),
            grade,
            shadow: data.shadow ?? false,
          };
    this.#policies.set(definition, policy);
    return policy;
  }

  persona(id: string, through: readonly string[] = []): Persona | null {
    const definition = this.#definitions.personas.get(id);
    if (!definition) return null;
    const known = this.#personas.get(id);
    if (known !== undefined) return known;
    if (through.includes(id)) {
      const circle = [...through.slice(through.indexOf(id)), id].join(" → ");
      this.#add(definition, "$.personas", {
        rule: "circular-reference",
        message: `personas dispatch each other in a circle: ${circle}`,
        hint: "break the circle: none of them would ever speak",
      });
      return null;
    }
    const names = definition.data.personas ?? [];
    const dispatches = names.map((name, index) => {
      if (this.#definitions.personas.has(name)) return this.persona(name, [...through, id]);
      this.#unknown(definition, `$.personas[${index}]`, "persona", name);
      return null;
    });
    if (definition.data.output_schema !== undefined)
      this.#schema(definition, "$.output_schema", definition.data.output_schema);
    const persona = dispatches.includes(null) ? null : { id, definition, dispatches: dispatches as Persona[] };
    this.#personas.set(id, persona);
    return persona;
  }

  artifact(definition: ArtifactDefinition): void {
    this.#schema(definition, "$.schema", definition.data.schema);
    const bad = badNaming(definition.data.naming);
    if (bad) this.#add(definition, "$.naming", { rule: "prose-naming", message: bad.message, hint: bad.hint });
  }

  #invoked(
    phase: PhaseDefinition,
    agent: string | { persona: string; role?: string; budget_share?: number; optional?: boolean },
    index: number,
  ): Invoked | null {
    const path = `$.agents_invoked[${index}]`;
    const entry = typeof agent === "string" ? { persona: agent } : agent;
    if (!this.#definitions.personas.has(entry.persona)) {
      this.#unknown(phase, path, "persona", entry.persona);
      return null;
    }
    const persona = this.persona(entry.persona);
    if (!persona) return null;
    if (entry.role !== undefined && entry.role !== persona.definition.role.role)
      this.#add(phase, `${path}.role`, {
        rule: "unknown-role",
        message: `${entry.persona} is a ${persona.definition.role.role}, not a ${entry.role}`,
        hint: "leave the role out: the persona's folder says it",
      });
    return { persona, share: entry.budget_share ?? null, optional: entry.optional ?? false };
  }

  #checkAgents(phase: PhaseDefinition, agents: readonly (Invoked | null)[]): void {
    const given = agents.reduce((sum, agent) => sum + (agent?.share ?? 0), 0);
    if (given > 1)
      this.#add(phase, "$.agents_invoked", {
        rule: "shares-above-one",
        message: `the budget shares add up to ${given}`,
        hint: "together they are at most 1",
      });
    const whole = agents.find((agent) => agent?.persona.definition.data.runs === "plan-work-review");
    if (whole && agents.length > 1)
      this.#add(phase, "$.agents_invoked", {
        rule: "not-alone",
        message: `${whole.persona.id} runs a whole plan-work-review pass, which it can only do alone in its phase`,
        hint: "give it a phase of its own, or let it run as a work-order",
      });
  }

  #phaseOf(cycle: CycleDefinition, id: string, path: string): Phase | null {
    const definition = this.#definitions.phases.get(id);
    if (definition) return this.phase(definition);
    this.#unknown(cycle, path, "phase", id);
    return null;
  }

  #policiesOf(owner: CycleDefinition | PhaseDefinition, ids: readonly string[]): readonly Policy[] {
    return ids.flatMap((id, index) => {
      const found = this.#definitions.policies.get(id);
      if (!found) this.#unknown(owner, `$.policies[${index}]`, "policy", id);
      if (found?.some(({ data }) => data.kind === "value-rights"))
        this.#add(owner, `$.policies[${index}]`, {
          rule: "not-asked-here",
          message: `${id} is about the values of calls, which no cycle asks about`,
          hint: "a framework names it: `values: { pack: ... }`",
        });
      return (found ?? []).map((definition) => this.policy(definition)).filter((policy) => policy !== null);
    });
  }

  #artifactOf(owner: Definition, id: string, path: string): ArtifactDefinition | null {
    const found = this.#definitions.artifacts.get(id);
    if (!found) this.#unknown(owner, path, "artifact", id);
    return found ?? null;
  }

  #optional(owner: Definition, path: string, text: string | undefined, place: ExpressionPlace): Compiled | null {
    return text === undefined ? null : this.#expression(owner, path, text, place);
  }

  #expression(owner: Definition, path: string, text: string, place: ExpressionPlace): Compiled | null {
    const compiled = compileExpression(text, namesAt(place));
    if (!compiled.ok) {
      this.#add(owner, path, {
        rule: String(compiled.error.details["rule"]),
        message: compiled.error.message,
        hint: hintFor(String(compiled.error.details["rule"])),
      });
      return null;
    }
    for (const { path: read } of compiled.value.reads) {
      const why = whyUnknown(read[0] ?? "", place);
      if (why === undefined) continue;
      this.#add(owner, path, { rule: "unknown-variable", message: why, hint: "read something that is known there" });
      return null;
    }
    return compiled.value;
  }

  #schema(owner: Definition, path: string, id: string): void {
    const found = this.#schemas.describe(id);
    if (!found.ok)
      this.#add(owner, path, {
        rule: "unknown-schema",
        message: found.error.message,
        hint: "a schema lies in schemas/<id>.json",
      });
  }

  #unknown(owner: Definition, path: string, axis: keyof typeof partOf, id: string): void {
    const broken = this.#definitions.broken.get(keyOf({ axis, id }));
    if (broken !== undefined)
      return this.#add(owner, path, {
        rule: `broken-${axis}`,
        message: `it needs the ${axis} ${id}, and ${broken} has a problem`,
        hint: "mend that file first",
      });
    const { message, hint } = unknownId(axis, id, this.#definitions[partOf[axis]].keys());
    this.#add(owner, path, { rule: `unknown-${axis}`, message, hint });
  }

  #add(owner: Definition, path: string, problem: Pick<Problem, "rule" | "message" | "hint">): void {
    this.problems.push({ file: owner.file, line: owner.lineOf(path), ...problem });
  }
}

function hintFor(rule: string): string {
  return rule === "prose-signal"
    ? "write an expression such as review_aggregate.p0_unresolved == 0"
    : "the guide docs/guides/write-a-cycle.md lists what expressions can say";
}

function definitionsOf(
  cycle: CycleDefinition,
  phases: readonly Phase[],
  policies: readonly Policy[],
): readonly Definition[] {
  const found = new Map<string, Definition>();
  const add = (definition: Definition) => found.set(definition.file, definition);
  const addPersona = (persona: Persona): void => {
    add(persona.definition);
    persona.dispatches.forEach(addPersona);
  };
  add(cycle);
  for (const policy of policies) add(policy.definition);
  for (const phase of phases) {
    add(phase.definition);
    for (const { persona } of phase.agents) addPersona(persona);
    for (const policy of phase.policies) add(policy.definition);
    for (const artifact of phase.artifacts) add(artifact);
  }
  return [...found.values()].toSorted((a, b) => (a.file < b.file ? -1 : 1));
}
