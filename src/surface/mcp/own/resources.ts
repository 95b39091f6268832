import type { Skills } from "#agents";
import type { SchemaRegistry } from "#core/contracts";
import { domainError } from "#core/errors";
import { type Caller, err, isSessionId, ok, type Result, type RunId, type SessionId } from "#core/values";
import { type EventPages, type LedgerName, type LogReader, type SessionCards, type SessionList } from "#log";
import { covers } from "#people";
import type { Documents, Kernel } from "#runs";
import type { McpContents, McpResource, McpResources, McpResourceTemplate } from "../offer/mcp-resource.ts";
import { documentOfRun } from "./document-of-run.ts";
import { sessionOutcome } from "./session-outcome.ts";

export interface OwnResourceParts {
  readonly sessions: Pick<SessionList, "read">;
  readonly cards: Pick<SessionCards, "of">;
  readonly pages: Pick<EventPages, "page">;
  readonly log: LogReader;
  readonly schemas: SchemaRegistry;
  readonly kernel: Pick<Kernel, "read">;
  readonly documents: Pick<Documents, "get">;
  readonly skills: Pick<Skills, "discover">;
}

const pageSize = 50;
const pageOfEvents = 200;
const mostBytes = 1024 * 1024;
const scheme = "writ://";
const json = "application/json";
const lines = "application/x-ndjson";

export const sessionUri = (session_id: string): string => `${scheme}sessions/${session_id}`;
export const skillUri = (name: string): string => `${scheme}skills/${name}`;

const templates: readonly (McpResourceTemplate & { readonly variables: Readonly<Record<string, Completed>> })[] = [
  {
    uriTemplate: `${scheme}sessions/{session_id}`,
    name: "session",
    title: "A session",
    description: "What its events tell: status, output, verdict, agents, tools, cost.",
    mimeType: json,
    variables: { session_id: "session" },
  },
  {
    uriTemplate: `${scheme}sessions/{session_id}/events{?after}`,
    name: "events",
    title: "Events of a session",
    description: `One JSON document a line, as they are recorded; ${pageOfEvents} after the given number.`,
    mimeType: lines,
    variables: { session_id: "session" },
  },
  {
    uriTemplate: `${scheme}sessions/{session_id}/ledger/{ledger}`,
    name: "ledger",
    title: "A ledger of a session",
    description: "exec: what happened. evidence: hashes of what was read, written, sent and received.",
    mimeType: lines,
    variables: { session_id: "session", ledger: "ledger" },
  },
  {
    uriTemplate: `${scheme}runs/{run_id}/document`,
    name: "run-document",
    title: "The document of a run",
    description: "Its newest revision.",
    mimeType: "text/plain",
    variables: { run_id: "run" },
  },
  {
    uriTemplate: `${scheme}documents/{sha256}`,
    name: "document",
    title: "A document",
    description: "By the SHA-256 of its bytes.",
    mimeType: "text/plain",
    variables: {},
  },
  {
    uriTemplate: `${scheme}skills/{name}`,
    name: "skill",
    title: "A skill",
    description: "Its instructions.",
    mimeType: "text/markdown",
    variables: { name: "skill" },
  },
];

type Completed = "session" | "ledger" | "run" | "skill";

/** Sessions, their ledgers, documents and skills, for callers who may read. */
export function ownResources(parts: OwnResourceParts): McpResources {
  return {
    templates: templates.map(({ variables: _, ...template }) => template),
    async list(cursor, { caller }) {
      if (refusal(caller)) return ok({ items: [] });
      const listed = await parts.sessions.read();
      if (!listed.ok) return listed;
      const { sessions } = listed.value;
      const at = cursor === undefined ? 0 : sessions.findIndex(({ session_id }) => session_id === cursor) + 1;
      if (cursor !== undefined && at === 0)
        return err(domainError("MALFORMED_INPUT", `no page of resources ends with ${JSON.stringify(cursor)}`));
      const page = sessions.slice(at, at + pageSize);
      const items = await Promise.all(page.map(async (info) => shown(info, (await parts.cards.of(info)).asked)));
      const first = cursor === undefined ? await skillResources(parts) : ok([]);
      if (!first.ok) return first;
      const last = at + pageSize < sessions.length ? page.at(-1)?.session_id : undefined;
      return ok({ items: [...first.value, ...items], ...(last === undefined ? {} : { next: last }) });
    },
    async read(uri, { caller }) {
      const refused = refusal(caller);
      if (refused) return err(refused);
      const found = await readUri(uri, parts);
      return found.ok ? ok([{ uri, ...found.value } as McpContents]) : found;
    },
    async completions({ uriTemplate, name, begins }, { caller }) {
      const template = templates.find((each) => each.uriTemplate === uriTemplate);
      if (!template) return err(domainError("MALFORMED_INPUT", `there is no template ${JSON.stringify(uriTemplate)}`));
      const kind = Object.hasOwn(template.variables, name) ? template.variables[name] : undefined;
      if (kind === undefined || refusal(caller)) return ok([]);
      const values = await valuesOf(kind, parts);
      return values.ok ? ok(values.value.filter((each) => each.startsWith(begins))) : values;
    },
  };
}

function refusal({ id, grants }: Caller) {
  return covers(grants, "read")
    ? undefined
    : domainError("NOT_AUTHORIZED", `${id} may not do this: no role of theirs grants "read"`);
}

function shown({ session_id, status, closed, last_at }: Listed, asked: string | null): McpResource {
  return {
    uri: sessionUri(session_id),
    name: session_id,
    ...(asked === null ? {} : { title: asked.slice(0, 120).toWellFormed() }),
    description: `${closed ? (status ?? "closed") : "open"}, last event ${last_at}`,
    mimeType: json,
  };
}

interface Listed {
  readonly session_id: string;
  readonly status: string | null;
  readonly closed: boolean;
  readonly last_at: string;
}

async function skillResources({ skills }: OwnResourceParts): Promise<Result<readonly McpResource[]>> {
  const found = await skills.discover();
  if (!found.ok) return found;
  return ok(
    found.value.skills.map(({ id, description }) => ({
      uri: skillUri(id),
      name: id,
      title: `Skill ${id}`,
      description,
      mimeType: "text/markdown",
    })),
  );
}

type Found = { readonly mimeType: string } & ({ readonly text: string } | { readonly bytes: Uint8Array });

async function readUri(uri: string, parts: OwnResourceParts): Promise<Result<Found>> {
  const address = URL.canParse(uri) ? new URL(uri) : undefined;
  if (!address || address.protocol !== "writ:") return unknown(uri);
  const path = `${address.host}${address.pathname}`.split("/").map(decoded);
  const [place, id = "", view, name = ""] = path;
  if (place === "sessions" && isSessionId(id)) {
    if (view === undefined) return session(id, parts);
    if (view === "events" && path.length === 3) return events(id, address.searchParams.get("after"), parts);
    if (view === "ledger" && path.length === 4 && isLedger(name)) return ledger(id, name, parts);
  }
  if (place === "runs" && view === "document" && path.length === 3) {
    const hash = await documentOfRun(id as RunId, undefined, parts.kernel);
    return hash.ok ? document(hash.value, parts) : hash;
  }
  if (place === "documents" && path.length === 2 && /^[0-9a-f]{64}$/.test(id)) return document(id, parts);
  if (place === "skills" && path.length === 2) {
    const found = await parts.skills.discover();
    if (!found.ok) return found;
    const skill = found.value.skills.find((each) => each.id === id);
    return skill ? ok({ mimeType: "text/markdown", text: skill.body }) : unknown(uri);
  }
  return unknown(uri);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // no name that is there has a broken escape
  }
}

async function session(id: SessionId, parts: OwnResourceParts): Promise<Result<Found>> {
  const found = await sessionOutcome(id, parts);
  return found.ok ? ok({ mimeType: json, text: JSON.stringify(found.value.snapshot) }) : found;
}

async function events(id: SessionId, after: string | null, { pages }: OwnResourceParts): Promise<Result<Found>> {
  if (after !== null && !/^\d{1,12}$/.test(after))
    return err(domainError("MALFORMED_INPUT", `after is the number of an event, not ${JSON.stringify(after)}`));
  const page = await pages.page(id, { after: Number(after ?? 0), limit: pageOfEvents, type: undefined });
  if (!page.ok) return page;
  return ok({ mimeType: lines, text: page.value.events.map((event) => `${JSON.stringify(event)}\n`).join("") });
}

async function ledger(id: SessionId, name: LedgerName, { log }: OwnResourceParts): Promise<Result<Found>> {
  const there = await log.locate(id);
  if (!there.ok) return there;
  let text = "";
  for await (const batch of log.readLedger(id, name)) {
    if (!batch.ok) return batch;
    for (const line of batch.value) text += `${line.text}\n`;
    if (text.length > mostBytes)
      return err(
        domainError("TOO_LARGE", `this ledger is longer than ${mostBytes} bytes`, {
          details: { hint: `writ session export ${id}` },
        }),
      );
  }
  return ok({ mimeType: lines, text });
}

/** As text where it is UTF-8, whatever it contains, because models write documents. */
async function document(hash: string, { documents }: OwnResourceParts): Promise<Result<Found>> {
  const found = await documents.get(hash);
  if (!found.ok) return found;
  try {
    return ok({ mimeType: "text/plain", text: new TextDecoder("utf-8", { fatal: true }).decode(found.value) });
  } catch {
    return ok({ mimeType: "application/octet-stream", bytes: found.value });
  }
}

async function valuesOf(kind: Completed, parts: OwnResourceParts): Promise<Result<readonly string[]>> {
  switch (kind) {
    case "session": {
      const listed = await parts.sessions.read();
      return listed.ok ? ok(listed.value.sessions.map(({ session_id }) => session_id)) : listed;
    }
    case "ledger":
      return ok(["exec", "evidence"]);
    case "run": {
      const runs = await parts.kernel.read.runs({ limit: 200 });
      return runs.ok ? ok(runs.value.map(({ run_id }) => run_id)) : runs;
    }
    case "skill": {
      const found = await parts.skills.discover();
      return found.ok ? ok(found.value.skills.map(({ id }) => id)) : found;
    }
  }
}

function isLedger(name: string): name is LedgerName {
  return name === "exec" || name === "evidence";
}

function unknown(uri: string): Result<never> {
  return err(domainError("NOT_FOUND", `there is no resource ${JSON.stringify(uri)}`));
}
