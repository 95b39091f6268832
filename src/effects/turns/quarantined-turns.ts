import { readdirSync } from "node:fs";
import { join } from "node:path";
import { codeOfError, type DomainError } from "#core/errors";
import { type Caller, isSessionId, type JsonObject, ok, type Result } from "#core/values";
import { isEvent, type LogReader } from "#log";
import { type CarryOut, followUpOf, type Inbox } from "#people";
import { type QuarantinedTurnParts, quarantinedTurn } from "../approval-kinds/quarantined-turn.ts";
import type { QuarantinedCode } from "./quarantine/quarantined-code.ts";
import type { TurnService } from "./turn-service.ts";

type OpenTurnService = () => Promise<Result<TurnService>>;

/** Effects of a decision on a quarantined turn. `allowCode`: what the person who decides names of the code among its writes. */
export function quarantineParts(turnService: OpenTurnService, allowCode: readonly string[] = []): QuarantinedTurnParts {
  return {
    quarantinedTurns: {
      async isStillOpen({ approval }) {
        const service = await turnService();
        if (!service.ok) return service;
        const turn_id = turnIn(approval.subject);
        if (service.value.showQuarantined(turn_id).ok) return ok({ state: "open" });
        // A pending decision on a turn that is gone took effect: its process died before the decision was settled.
        if (approval.choice !== null) return ok({ state: "carried out" });
        return ok({ state: "gone", why: `${turn_id} is no longer in quarantine`, hint: null });
      },
      async release({ approval, by }) {
        const service = await turnService();
        return service.ok
          ? ok(() => carried(service.value.release(turnIn(approval.subject), by.id, allowCode)))
          : service;
      },
      async drop({ approval, by }) {
        const service = await turnService();
        return service.ok ? ok(() => carried(service.value.drop(turnIn(approval.subject), by.id))) : service;
      },
    },
  };
}

/**
 * The turn service whose decision on a turn also answers the question in the inbox about it, under the same rules: a caller
 * who may not answer there may not decide here.
 */
export function answeringTurnService(
  service: TurnService,
  { inbox, turnService }: { readonly inbox: Inbox; readonly turnService: OpenTurnService },
  localCaller: () => Result<Caller>,
): TurnService {
  const through = async (turn_id: string, choice: "release" | "drop", allowCode: readonly string[] = []) => {
    const found = service.showQuarantined(turn_id);
    if (!found.ok) return found;
    const open = await inbox.list({ state: "open", session_id: found.value.session_id, limit: 1000 });
    if (!open.ok) return open;
    const question = open.value.find(
      ({ kind, subject }) => kind === quarantinedTurn.kind && subject["turn_id"] === turn_id,
    );
    if (!question) return choice === "release" ? service.release(turn_id, undefined, allowCode) : service.drop(turn_id);
    const by = localCaller();
    if (!by.ok) return by;
    const { approval_id, subject_hash } = question;
    const named = allowCode.map((pattern) => ` --allow-code ${pattern}`).join("");
    const decision = { choice, subject_hash, reason: `said with \`writ turn quarantine ${choice}${named}\`` };
    const followUp = followUpOf(quarantinedTurn, inbox, quarantineParts(turnService, allowCode));
    const decided = await inbox.decide(by.value, approval_id, decision, followUp);
    return decided.ok ? found : decided;
  };
  return {
    ...service,
    release: (turn_id, _, allowCode) => through(turn_id, "release", allowCode),
    drop: (turn_id) => through(turn_id, "drop"),
  };
}

/** Adds quarantined turns, which lie in a folder, to the inbox. Called before the inbox is read. */
export async function collectQuarantined(sources: {
  readonly root: string;
  readonly inbox: Pick<Inbox, "ask">;
  readonly turnService: OpenTurnService;
  readonly log: Pick<LogReader, "read">;
  /** The author of turns whose session names none. */
  readonly caller: string;
}): Promise<Result<void>> {
  const { root, inbox, turnService, log, caller } = sources;
  if (isEmpty(join(root, "planes", "hot", "turns", "quarantine"))) return ok(undefined);
  const service = await turnService();
  if (!service.ok) return service;
  for (const about of service.value.quarantined()) {
    const { turn_id, session_id, code, message, writes, declared } = about;
    const author = await authorOf(session_id, log, caller);
    if (!author.ok) return author;
    const asked = await inbox.ask(
      quarantinedTurn,
      {
        turn_id,
        code,
        message: `${message}${codeText(service.value.codeAmong(about))}`,
        declared,
        writes: JSON.parse(JSON.stringify(writes)) as JsonObject[],
      },
      { author: author.value, session: null, session_id },
    );
    if (!asked.ok) return asked;
  }
  return ok(undefined);
}

/** Names what would run by itself once it lands, so that a person who decides sees it. */
function codeText(code: readonly QuarantinedCode[]): string {
  if (code.length === 0) return "";
  const named = code.slice(0, mostNamed).map(({ path, why }) => `${path} (${why})`);
  const more = code.length > mostNamed ? ` and ${code.length - mostNamed} more` : "";
  const unnamed = code.some(({ granted }) => !granted)
    ? "; its order did not name it, so it is released only with `writ turn quarantine release --allow-code`"
    : "";
  return `. It wrote code that runs: ${named.join("; ")}${more}${unnamed}`;
}

const mostNamed = 5;

/** Author of a turn: the caller who began its session. The author cannot release its writes. */
async function authorOf(session_id: string, log: Pick<LogReader, "read">, otherwise: string): Promise<Result<string>> {
  if (!isSessionId(session_id)) return ok(otherwise);
  for await (const first of log.read(session_id)) {
    if (!first.ok) return first;
    return ok((isEvent(first.value, "session.start") ? first.value.payload.caller_id : undefined) ?? otherwise);
  }
  return ok(otherwise);
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (thrown) {
    if (codeOfError(thrown) === "ENOENT") return true;
    throw thrown;
  }
}

function turnIn(subject: JsonObject): string {
  return typeof subject["turn_id"] === "string" ? subject["turn_id"] : "";
}

async function carried(moved: Promise<Result<unknown>>): ReturnType<CarryOut> {
  const done = await moved;
  if (done.ok) return { state: "done" };
  return { state: mayBeHalfDone(done.error) ? "failed" : "refused", error: done };
}

/** An announced commit is finished when the workspace is opened next; an event whose append failed may still be in the log. */
function mayBeHalfDone({ kind, details }: DomainError): boolean {
  return details["promised"] === true || kind === "log" || kind === "store" || kind === "internal";
}
