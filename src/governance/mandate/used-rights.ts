import type { MandateV1 } from "#core/contracts";
import { isJsonObject } from "#core/values";
import type { Event } from "#log";
import { matchesText, nameMatcher } from "../paths/rights.ts";
import { pathMatcher } from "./sources.ts";

/** What an order and the orders below it used of their rights, as recorded. */
export class UsedRights {
  readonly tools: Map<string, number> = new Map();
  readonly reads: Set<string> = new Set();
  readonly writes: Set<string> = new Set();
  readonly programs: Set<string> = new Set();
  readonly hosts: Set<string> = new Set();
  readonly models: Set<string> = new Set();
  delegations = 0;
  /** Whether something read files that the record does not list: a program, or a search over very many. */
  hasReadUnseen = false;

  see(event: Event): void {
    switch (event.type) {
      case "wo.started":
        for (const { path } of event.payload.declared_inputs ?? []) this.reads.add(path);
        break;
      case "tool.invoke":
        if (event.payload.attempt === 1) this.#called(event.payload.name, event.payload.args);
        break;
      case "tool.result":
      case "attention.assembled": {
        const { reads = [], reads_count = reads.length } = event.payload;
        for (const { path } of reads) this.reads.add(path);
        if (reads_count > reads.length) this.hasReadUnseen = true;
        break;
      }
      case "turn.started":
        for (const { path } of event.payload.inputs) this.reads.add(path);
        if (event.payload.visible) this.hasReadUnseen = true;
        break;
      case "turn.committed":
        for (const { path, change } of event.payload.outputs) if (change !== "folder") this.writes.add(path);
        for (const { host, allowed } of event.payload.connections ?? []) if (allowed) this.hosts.add(host);
        break;
      case "llm.request":
        this.models.add(event.payload.model);
        break;
      case "delegation.made":
        this.delegations += 1;
        break;
      default:
    }
  }

  #called(name: string, args: unknown): void {
    this.tools.set(name, (this.tools.get(name) ?? 0) + 1);
    const command = isJsonObject(args) ? args["command"] : undefined;
    if (name === "exec" && Array.isArray(command)) this.programs.add(command.join(" "));
  }
}

/** A right that an order granted by itself, and what was done by it. */
export interface RightUse {
  readonly right: "tool" | "read" | "write" | "program" | "host" | "model" | "delegation";
  readonly document: string;
  /** Where it stands in the document. */
  readonly path: string;
  readonly pattern: string;
  /** Different things that it was used for; null where the record cannot tell. */
  readonly used: number | null;
  /** The first of them. */
  readonly examples: readonly string[];
}

const mostExamples = 3;

/** The rights that the order itself states: what its author can take away. Those of frameworks serve other orders too. */
export function usesOf(mandate: MandateV1, used: UsedRights): readonly RightUse[] {
  const own = `work order ${mandate.work_order_id}`;
  const use = (right: RightUse["right"], path: string, pattern: string, things: readonly string[]): RightUse => {
    const isUnseen = things.length === 0 && right === "read" && used.hasReadUnseen;
    return {
      right,
      document: own,
      path,
      pattern,
      used: isUnseen ? null : things.length,
      examples: things.slice(0, mostExamples),
    };
  };
  const listed = (
    right: RightUse["right"],
    sources: MandateV1["tools"],
    matching: (pattern: string) => readonly string[],
    isWanted: (path: string) => boolean = () => true,
  ) =>
    sources
      .filter(({ document }) => document === own)
      .flatMap(({ lists }) => lists.filter(({ path }) => isWanted(path)))
      .flatMap(({ path, patterns }) => patterns.map((pattern) => use(right, path, pattern, matching(pattern))));
  const among = (things: ReadonlySet<string>, matches: (thing: string) => boolean) => [...things].filter(matches);
  const { delegation } = mandate;
  return [
    ...mandate.permissions.map(({ path, tool }) =>
      use("tool", path, tool, [...used.tools.keys()].filter(nameMatcher(tool))),
    ),
    ...listed(
      "read",
      mandate.read,
      (pattern) => among(used.reads, pathMatcher(pattern)),
      (path) => path === "scope.read_files",
    ),
    ...listed("write", mandate.write, (pattern) => among(used.writes, pathMatcher(pattern))),
    ...listed("program", mandate.programs, (pattern) =>
      among(used.programs, (line) => matchesText(pattern, line) || matchesText(pattern, line.split(" ")[0] ?? "")),
    ),
    ...listed("host", mandate.hosts, (pattern) => among(used.hosts, (host) => matchesText(pattern, host))),
    ...listed("model", mandate.models, (pattern) => among(used.models, (model) => matchesText(pattern, model))),
    ...(delegation.max_depth.document === own && delegation.max_depth.value > 0
      ? [
          {
            ...use("delegation", delegation.max_depth.path, `${delegation.max_depth.value} deep`, []),
            used: used.delegations,
          },
        ]
      : []),
  ];
}
