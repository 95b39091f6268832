import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, type Files, ok, type Result, suggest } from "#core/values";
import type { Cycle } from "./cycle.ts";
import type { Definition, SourceFile } from "./definition.ts";
import { buildIndex, type DefinitionIndex, keyOf } from "./definition-index.ts";
import { findFiles, findSubagents, type WorkflowRoot } from "./find-files.ts";
import { link } from "./link.ts";
import { byPlace, type Problem, problemsError } from "./problem.ts";
import { type ReadDefinition, readDefinition } from "./read-definition.ts";

export interface WorkflowSources {
  readonly files: Files;
  readonly schemas: SchemaRegistry;
  /** The earlier root wins. */
  readonly roots: readonly WorkflowRoot[];
}

/** All definitions in the roots, valid or not, as `writ workflow check` sees them. */
export interface Inspection {
  readonly definitions: readonly Definition[];
  readonly index: DefinitionIndex;
  readonly cycles: ReadonlyMap<string, Cycle>;
  readonly problems: readonly Problem[];
  /** Subagent files that are no personas. They belong to other tools, so they do not block registration. */
  readonly skipped: readonly Problem[];
}

/**
 * L8's registry, an allow-list: the cycles of which everything is sound. A file with a problem is no part of it, and neither is a
 * cycle that needs that file; the others do not depend on it.
 */
export interface WorkflowRegistry {
  list(): readonly Cycle[];
  /** `WORKFLOW_UNKNOWN_ID` for what is not registered, `WORKFLOW_INVALID` for a cycle that is left out. */
  cycle(id: string): Result<Cycle>;
  readonly index: DefinitionIndex;
  /** Why something is left out. */
  readonly problems: readonly Problem[];
}

export interface Workflows {
  inspect(): Promise<Result<Inspection>>;
  registry(): Promise<Result<WorkflowRegistry>>;
}

const maxBytes = 256 * 1024;

/** Reads the files each time; a file whose text is unchanged is not parsed again. */
export function createWorkflows(sources: WorkflowSources): Workflows {
  let remembered = new Map<string, ReadFile>();
  let last:
    | { readonly key: readonly ReadDefinition[]; readonly strays: string; readonly inspection: Inspection }
    | undefined;

  const inspect = async (): Promise<Result<Inspection>> => {
    const found = await gather(sources);
    if (!found.ok) return found;
    const next: typeof remembered = new Map();
    const unreadable: Problem[] = [];
    const unread: SourceFile[] = [];
    const texts = await Promise.all(found.value.files.map(({ path }) => sources.files.readText(path, { maxBytes })));
    for (const [index, file] of found.value.files.entries()) {
      const text = texts[index];
      if (!text?.ok) {
        unread.push(file);
        unreadable.push({
          file: file.file,
          line: 1,
          rule: "unreadable",
          message: text?.error.message ?? "it cannot be read",
          hint: "a definition is a UTF-8 text file",
        });
        continue;
      }
      const before = remembered.get(file.path);
      const read = before?.text === text.value ? before.read : readDefinition(file, text.value, sources.schemas);
      if ("problems" in read) unread.push(file);
      next.set(file.path, { text: text.value, read });
    }
    remembered = next;
    const key = [...next.values()].map(({ read }) => read);
    const strays = [...found.value.problems, ...unreadable];
    const unchanged = last && last.strays === JSON.stringify(strays) && sameItems(last.key, key);
    if (last && unchanged) return ok(last.inspection);
    const inspection = assemble({ read: key, unread, strays }, sources.schemas);
    last = { key, strays: JSON.stringify(strays), inspection };
    return ok(inspection);
  };

  return {
    inspect,
    async registry() {
      const inspected = await inspect();
      if (!inspected.ok) return inspected;
      const { problems, cycles, index } = inspected.value;
      return ok(registryOf(cycles, index, problems));
    },
  };
}

interface ReadFile {
  readonly text: string;
  readonly read: ReadDefinition;
}

interface Gathered {
  readonly files: readonly SourceFile[];
  readonly problems: readonly Problem[];
}

async function gather({ roots, files }: WorkflowSources): Promise<Result<Gathered>> {
  const gathered: SourceFile[] = [];
  const problems: Problem[] = [];
  for (const root of roots) {
    const found = await findFiles(root, files);
    if (!found.ok) return found;
    gathered.push(...found.value.sources);
    problems.push(...found.value.problems);
    if (root.origin !== "workspace") continue;
    const subagents = await findSubagents(root.folder, files);
    if (!subagents.ok) return subagents;
    gathered.push(...subagents.value);
  }
  return ok({ files: gathered, problems });
}

interface ReadFiles {
  readonly read: readonly ReadDefinition[];
  /** The files that are no definition. */
  readonly unread: readonly SourceFile[];
  /** Files that stand in no place. */
  readonly strays: readonly Problem[];
}

function assemble({ read, unread, strays }: ReadFiles, schemas: SchemaRegistry): Inspection {
  const all = read.flatMap((each) => ("definition" in each ? [each.definition] : []));
  const { definitions, notes } = placeSubagents(all);
  const broken = read.flatMap((each) => ("problems" in each ? each.problems : []));
  const isSubagent = ({ file }: Pick<Problem, "file">) => file.startsWith(".claude/");
  const { index, problems: doubled } = buildIndex(
    definitions,
    unread.filter((file) => !isSubagent(file)),
  );
  const linked = link(index, schemas);
  const problems = [...strays, ...broken.filter((each) => !isSubagent(each)), ...doubled, ...linked.problems];
  return {
    definitions,
    index,
    cycles: linked.cycles,
    problems: problems.toSorted(byPlace),
    skipped: [...broken.filter(isSubagent), ...notes],
  };
}

/**
 * A subagent is known by the name in its head, whatever its file is called. A persona of the same name that the workspace defines
 * for Writ comes before it; one that Writ ships is never replaced, so the subagent gets a name of its own.
 */
function placeSubagents(all: readonly Definition[]): {
  readonly definitions: readonly Definition[];
  readonly notes: readonly Problem[];
} {
  const isSubagent = ({ file }: Definition) => file.startsWith(".claude/");
  const personas = all.filter(({ axis }) => axis === "persona");
  const shipped = new Set(personas.filter(({ origin }) => origin === "shipped").map(({ id }) => id));
  const taken = new Set(personas.filter((each) => each.origin !== "shipped" && !isSubagent(each)).map(({ id }) => id));
  const notes: Problem[] = [];
  const note = ({ file }: Definition, rule: string, message: string, hint: string) =>
    notes.push({ file, line: 1, rule, message, hint });
  const definitions = all.flatMap((definition): readonly Definition[] => {
    if (!isSubagent(definition)) return [definition];
    const { id, file } = definition;
    const own = shipped.has(id) && !taken.has(id) ? `claude-${id}` : id;
    if (taken.has(own)) {
      note(
        definition,
        "second-of-its-name",
        `there is a persona ${own} already, which comes first`,
        "give it another name",
      );
      return [];
    }
    taken.add(own);
    if (own !== id)
      note(
        definition,
        "name-of-a-shipped-persona",
        `Writ ships a persona ${id}, so this one is ${own}`,
        `phases name it as ${own}`,
      );
    const fileName = file.slice(file.lastIndexOf("/") + 1, -".md".length);
    if (own === id && fileName !== id)
      note(
        definition,
        "name-is-not-its-file",
        `its name is ${id}, as its head says, and not ${fileName}`,
        `phases name it as ${id}`,
      );
    return [own === id ? definition : { ...definition, id: own }];
  });
  return { definitions, notes };
}

export function registryOf(
  cycles: ReadonlyMap<string, Cycle>,
  index: DefinitionIndex,
  problems: readonly Problem[] = [],
): WorkflowRegistry {
  return {
    index,
    problems,
    list: () => [...cycles.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    cycle(id) {
      const found = cycles.get(id);
      if (found) return ok(found);
      const isLeftOut = index.cycles.has(id) || index.broken.has(keyOf({ axis: "cycle", id }));
      return err(isLeftOut ? problemsError(problems) : unknownCycle(id, cycles.keys()));
    },
  };
}

function unknownCycle(id: string, known: Iterable<string>) {
  const meant = suggest(id, known);
  return domainError(
    "WORKFLOW_UNKNOWN_ID",
    `no cycle ${JSON.stringify(id)} is registered${meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`}`,
    { details: { cycle_id: id, hint: "`writ workflow list` names those that are" } },
  );
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
