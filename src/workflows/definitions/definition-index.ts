import { suggest } from "#core/values";
import type {
  ArtifactDefinition,
  CycleDefinition,
  Definition,
  PersonaDefinition,
  PhaseDefinition,
  PolicyDefinition,
} from "./definition.ts";
import type { Problem } from "./problem.ts";

/** All definitions by axis and id. The workspace's come before those that Writ ships. */
export interface DefinitionIndex {
  readonly cycles: ReadonlyMap<string, CycleDefinition>;
  readonly phases: ReadonlyMap<string, PhaseDefinition>;
  /** The policy in force first; after it its shadow, where a person tries out a change. */
  readonly policies: ReadonlyMap<string, readonly PolicyDefinition[]>;
  readonly personas: ReadonlyMap<string, PersonaDefinition>;
  readonly artifacts: ReadonlyMap<string, ArtifactDefinition>;
  /** Files that cannot be used, by `axis:id`. Nothing stands in for them, a shipped definition of the same id neither. */
  readonly broken: ReadonlyMap<string, string>;
}

/** A definition, or the file of one that could not be read. */
type Named = Pick<Definition, "axis" | "id" | "origin" | "file">;

export const keyOf = ({ axis, id }: Pick<Named, "axis" | "id">): string => `${axis}:${id}`;

/** Indexes definitions in the given order; of two with one id and origin neither is used. */
export function buildIndex(
  definitions: readonly Definition[],
  unread: readonly Named[] = [],
): {
  readonly index: DefinitionIndex;
  readonly problems: readonly Problem[];
} {
  const problems: Problem[] = [];
  const index = {
    cycles: new Map<string, CycleDefinition>(),
    phases: new Map<string, PhaseDefinition>(),
    policies: new Map<string, readonly PolicyDefinition[]>(),
    personas: new Map<string, PersonaDefinition>(),
    artifacts: new Map<string, ArtifactDefinition>(),
    broken: new Map<string, string>(),
  };
  const twiceDefined: Definition[] = [];
  const addTwice = (first: Definition, second: Definition) => {
    problems.push(twice(first, second));
    twiceDefined.push(second);
  };
  const put = <T extends Definition>(map: Map<string, T>, definition: T) => {
    const before = map.get(definition.id);
    if (!before) map.set(definition.id, definition);
    else if (before.origin === definition.origin) addTwice(before, definition);
  };
  for (const definition of definitions) {
    switch (definition.axis) {
      case "cycle":
        put(index.cycles, definition);
        break;
      case "phase":
        put(index.phases, definition);
        break;
      case "persona":
        put(index.personas, definition);
        break;
      case "artifact":
        put(index.artifacts, definition);
        break;
      case "policy": {
        const before = index.policies.get(definition.id) ?? [];
        const [first] = before;
        if (!first) index.policies.set(definition.id, [definition]);
        else if (first.origin === definition.origin) addTwice(first, definition);
        // A shadow must not replace a policy in force, which would weaken it, so it is listed after it.
        else if (first.data.shadow && !definition.data.shadow) index.policies.set(definition.id, [definition, first]);
        break;
      }
    }
  }
  for (const each of [...unread, ...twiceDefined]) hide(index, each);
  return { index, problems };
}

type GrowingIndex = {
  readonly [Part in Exclude<keyof DefinitionIndex, "broken">]: Pick<
    Map<string, Named | readonly Named[]>,
    "get" | "delete"
  >;
} & { readonly broken: Map<string, string> };

/** A definition of the workspace stays where the shipped one of its id is broken; never the other way round. */
function hide(index: GrowingIndex, named: Named): void {
  const part = index[partOf[named.axis]];
  const found = [part.get(named.id) ?? []].flat();
  if (named.origin === "shipped" && found.some(({ origin }) => origin === "workspace")) return;
  part.delete(named.id);
  index.broken.set(keyOf(named), named.file);
}

/** The part of the index that holds each kind of definition. */
export const partOf = {
  cycle: "cycles",
  phase: "phases",
  persona: "personas",
  policy: "policies",
  artifact: "artifacts",
} as const;

/** `no phase "reviw" is registered; did you mean "review"?` */
export function unknownId(
  axis: string,
  id: string,
  known: Iterable<string>,
): { readonly message: string; readonly hint: string } {
  const meant = suggest(id, known);
  return {
    message: `no ${axis} ${JSON.stringify(id)} is registered, and what is not registered is denied`,
    hint: meant === undefined ? `write ${place(axis)}` : `did you mean ${JSON.stringify(meant)}?`,
  };
}

function place(axis: string): string {
  if (axis === "persona") return "workflows/personas/<role>/<id>.md";
  if (axis === "artifact") return "workflows/artifacts/<id>-template.md";
  return `workflows/${axis === "policy" ? "policies" : `${axis}s`}/<id>.md`;
}

function twice(first: Definition, second: Definition): Problem {
  return {
    file: second.file,
    line: 1,
    rule: "defined-twice",
    message: `the ${second.axis} ${second.id} is defined in ${first.file} already`,
    hint: "an id is used once: rename one of them",
  };
}
