import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { MandateV1 } from "#core/contracts";
import { isJsonObject, isSessionId } from "#core/values";
import type { Event, LogReader } from "#log";
import type { Approval, Foresee, Foreseen } from "#people";
import { type ChangeSources, foreseeChange } from "./foresee-change.ts";

interface Sources extends ChangeSources {
  readonly log: Pick<LogReader, "read">;
  /** Where the rules of the workspace stand. */
  readonly lawFile: string;
}

/** How many of the things that were read before are listed: an instruction from outside stands most likely in the newest. */
const mostRead = 12;
/** Of a longer session its beginning is folded; its page shows the rest. */
const mostEvents = 20_000;

/** What would come of a call, and what led to it: read now, for the person who decides. Nothing of it is bound to the decision. */
export function foreseeCalls(sources: Sources): Foresee {
  return async (approval, { whole }) => {
    const seen = await foreseeChange(approval, sources);
    if (!whole) return seen?.title === undefined ? undefined : { ...seen, read_before: [], asked_by: [] };
    const led = await whatLedTo(approval, sources);
    const program = programOf(approval, led.mandate);
    return {
      stale: [],
      ...seen,
      ...(program ? { program } : {}),
      read_before: led.read.slice(-mostRead),
      asked_by: await rulesOf(approval, led, sources),
    };
  };
}

interface Led {
  readonly mandate: MandateV1 | undefined;
  readonly read: Foreseen["read_before"][number][];
  /** Hooks that asked about it. */
  readonly hooks: readonly string[];
}

/** Folds the session up to its question. */
async function whatLedTo({ approval_id, session_id, subject }: Approval, { log }: Sources): Promise<Led> {
  const read: Foreseen["read_before"][number][] = [];
  const hashes = new Map<string, string>();
  let mandate: MandateV1 | undefined;
  let hooks: readonly string[] = [];
  if (session_id === null || !isSessionId(session_id)) return { mandate, read, hooks };
  let count = 0;
  for await (const each of log.read(session_id)) {
    if (!each.ok || ++count > mostEvents) break;
    const event: Event = each.value;
    if (event.type === "approval.requested" && event.payload.approval_id === approval_id) break;
    switch (event.type) {
      case "wo.started":
        mandate = event.payload.mandate;
        break;
      case "attention.assembled":
        for (const { origin, trust, source_hash } of event.payload.fragments)
          read.push({ what: origin, trust: trust === "untrusted" ? trust : "trusted", ...hashed(source_hash) });
        break;
      case "tool.result":
        for (const { path, sha256 } of event.payload.reads ?? [])
          hashes.set(event.payload.call_id, `${path} ${sha256}`);
        break;
      case "tool.output": {
        const { call_id, name, trust, is_error } = event.payload;
        const [path, sha256] = hashes.get(call_id)?.split(" ") ?? [];
        if (!is_error)
          read.push({
            what: path === undefined ? `${name} (${call_id})` : `${path} (${name})`,
            trust: trust === "untrusted" ? trust : "trusted",
            ...hashed(sha256),
          });
        break;
      }
      case "hook.fired":
        if (event.payload.decision === "ask" && isAbout(event.payload.subject, subject))
          hooks = event.payload.handlers.filter(({ decision }) => decision === "ask").map(({ id }) => id);
        break;
      default:
    }
  }
  return { mandate, read, hooks };
}

function isAbout(named: string | undefined, { tool, subject }: Approval["subject"]): boolean {
  return named === undefined || named === tool || named === subject;
}

function hashed(sha256: string | undefined): { readonly sha256?: string } {
  return sha256 === undefined ? {} : { sha256 };
}

/** The rules, each with the line where a person reads it. */
async function rulesOf(
  approval: Approval,
  { hooks, mandate }: Led,
  { root, lawFile }: Sources,
): Promise<Foreseen["asked_by"]> {
  const law = hooks.length === 0 ? "" : await readFile(join(root, lawFile), "utf8").catch(() => "");
  const asked = hooks.map((id) => ({ rule: `hook ${id}`, where: lineOf(law, id, lawFile) }));
  // What judges values cites the line of its rule in its words.
  const cited = [...approval.reason.matchAll(/[\w./-]+\.(?:md|yaml):\d+/g)].map(([where]) => ({
    rule: "values",
    where,
  }));
  const { tool } = approval.subject;
  const clauses = (mandate?.approvals ?? [])
    .filter(
      ({ tools, reason }) => typeof tool === "string" && tools?.includes(tool) && approval.reason.includes(reason),
    )
    .map(({ document, path }) => ({ rule: `${document}: ${path}`, where: null }));
  return [...asked, ...new Map([...cited, ...clauses].map((each) => [`${each.rule} ${each.where}`, each])).values()];
}

function lineOf(law: string, id: string, lawFile: string): string | null {
  const at = law.split("\n").findIndex((line) => line.includes(id));
  return at < 0 ? null : `${lawFile}:${at + 1}`;
}

/** A program with what its order lets it reach; what of it it uses is not known before it runs. */
function programOf({ subject }: Approval, mandate: MandateV1 | undefined): Foreseen["program"] {
  const { tool, args } = subject;
  if (tool !== "exec" || !isJsonObject(args)) return undefined;
  const { command, cwd } = args;
  return {
    command: Array.isArray(command) ? command.map((each) => quoted(String(each))).join(" ") : "",
    cwd: typeof cwd === "string" ? cwd : "",
    reads: patternsOf(mandate?.read),
    writes: patternsOf(mandate?.write),
    hosts: patternsOf(mandate?.hosts),
  };
}

/** As it would be typed, so that a space inside a word is not taken for one between two. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Those of the narrowest document: each has to name a thing. */
function patternsOf(lists: MandateV1["hosts"] | undefined): readonly string[] {
  const all = (lists ?? []).map((each) => each.lists.flatMap(({ patterns }) => patterns));
  return all.toSorted((one, other) => one.length - other.length)[0] ?? [];
}
