import { type Caller, type DomainError, domainError, err, ok, type Result } from "#base";
import type { CarryOut, Consequence, Inbox } from "#governance";
import type { TurnDesk } from "../turns/turn-desk.ts";

interface Sources {
  readonly inbox: Inbox;
  readonly turnDesk: () => Promise<Result<TurnDesk>>;
}

/** What a turn wrote against its word lands, or is thrown away. */
export function quarantinedTurn({ inbox, turnDesk }: Sources): Consequence {
  return async ({ approval_id, subject, choice: said }, choice, by) => {
    const desk = await turnDesk();
    if (!desk.ok) return desk;
    const turn_id = typeof subject["turn_id"] === "string" ? subject["turn_id"] : "";
    const found = desk.value.showQuarantined(turn_id);
    if (!found.ok && said !== null) return ok(async () => ({ state: "done" })); // whoever said so did it before they died
    if (!found.ok) {
      const why = `${turn_id} is no longer in quarantine`;
      const closed = await inbox.supersede(approval_id, by.id, why);
      return closed.ok ? err(domainError("WRITE_CONFLICT", why, { retryable: false })) : closed;
    }
    return ok(() => carry(desk.value, { turn_id, choice, by: by.id }));
  };
}

/**
 * The desk, whose word on a turn is the answer to the question that waits in the inbox about it. Whoever may not answer it
 * may not say it elsewhere.
 */
export function answeringDesk(
  desk: TurnDesk,
  { inbox, turnDesk }: Sources,
  localCaller: () => Result<Caller>,
): TurnDesk {
  const through = async (turn_id: string, choice: "release" | "drop") => {
    const found = desk.showQuarantined(turn_id);
    if (!found.ok) return found;
    const open = await inbox.list({ state: "open", session_id: found.value.session_id, limit: 1000 });
    if (!open.ok) return open;
    const question = open.value.find(
      ({ kind, subject }) => kind === "quarantined_turn" && subject["turn_id"] === turn_id,
    );
    if (!question) return choice === "release" ? desk.release(turn_id) : desk.drop(turn_id);
    const by = localCaller();
    if (!by.ok) return by;
    const { approval_id, subject_hash } = question;
    const wish = { choice, subject_hash, reason: `said with \`writ turn quarantine ${choice}\`` };
    const decided = await inbox.decide(by.value, approval_id, wish, quarantinedTurn({ inbox, turnDesk }));
    return decided.ok ? found : decided;
  };
  return {
    ...desk,
    release: (turn_id) => through(turn_id, "release"),
    drop: (turn_id) => through(turn_id, "drop"),
  };
}

async function carry(
  desk: TurnDesk,
  { turn_id, choice, by }: { readonly turn_id: string; readonly choice: string; readonly by: string },
): ReturnType<CarryOut> {
  const done = await (choice === "release" ? desk.release(turn_id, by) : desk.drop(turn_id, by));
  if (done.ok) return { state: "done" };
  return { state: mayBeHalfDone(done.error) ? "failed" : "refused", error: done };
}

/** A commit that was promised is finished by whoever opens the workspace next; what the log did not take may be there all the same. */
function mayBeHalfDone({ kind, details }: DomainError): boolean {
  return details["promised"] === true || kind === "log" || kind === "store" || kind === "internal";
}
