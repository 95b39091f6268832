import type { Answer } from "#core/commands";
import { type Command, flag, optional, text } from "#core/commands";
import { domainError } from "#core/errors";
import { err, ok, type Result, type SessionId } from "#core/values";
import type { LogReader } from "#log";

interface HaltParts {
  readonly root: string;
  readonly log: LogReader;
  readonly caller: string;
  halt(session_id: SessionId | null, reason: string): Promise<Result<void>>;
  liftHalt(session_id?: SessionId | null): Promise<Result<number>>;
  halts(): Promise<Result<readonly Halt[]>>;
}

interface Halt {
  readonly session_id: string | null;
  readonly by: string;
  readonly reason: string;
  readonly halted_at: string;
  readonly grants?: readonly string[] | null;
}

interface HaltOptions {
  readonly all?: boolean;
  readonly lift?: boolean;
  readonly reason: string;
}

export const halt: Command<"controls", HaltParts, HaltOptions> = {
  name: "halt",
  summary: "the kill switch: stop a session, or everything; running calls are cancelled within a second",
  needs: "controls",
  json: "halted, by and reason; with --lift the number lifted; alone the halts that stand",
  arguments: [optional("session", "id, short id, or last")],
  options: {
    all: flag("everything in this workspace, and nothing new starts"),
    lift: flag("end the halt of the session, with --all that of everything, alone every halt"),
    reason: text("text", "why, for the record", "halted by hand"),
  },
  about:
    "Without arguments it says which halts stand. A halt is lifted by who set it, or by a caller whose roles grant as much. What was halted goes on with `writ session resume`.",
  examples: ["writ halt 7qk2", 'writ halt --all --reason "the model leaks"', "writ halt --lift"],
  exits: null,
  run: async (halts, { arguments: [wanted], options: { all = false, lift = false, reason } }) => {
    if (all && wanted !== undefined)
      return err(domainError("MALFORMED_INPUT", "name a session or say --all, not both"));
    const target = all ? ok(null) : await sessionOf(wanted, halts);
    if (!target.ok) return target;
    if (lift) return liftHalt(halts, target.value);
    if (target.value === undefined) return standing(halts);
    const halted = await halts.halt(target.value, reason);
    if (!halted.ok) return halted;
    const what = target.value ?? "everything in this workspace";
    return ok({
      json: { halted: target.value ?? "*", by: halts.caller, reason },
      text: () => `halted: ${what} (${reason})\nend it with: writ halt --lift\n`,
    });
  },
};

async function sessionOf(wanted: string | undefined, { root, log }: HaltParts): Promise<Result<SessionId | undefined>> {
  if (wanted === undefined) return ok(undefined);
  const { resolveSession } = await import("../../log/resolve-session.ts");
  return resolveSession(wanted, { root, reader: log });
}

async function liftHalt(halts: HaltParts, target: SessionId | null | undefined): Promise<Result<Answer>> {
  const lifted = await halts.liftHalt(target);
  if (!lifted.ok) return lifted;
  return ok({
    json: { lifted: lifted.value },
    text: () => (lifted.value === 0 ? "no halt stood\n" : "lifted; stopped sessions go on with: writ session resume\n"),
  });
}

async function standing(halts: HaltParts): Promise<Result<Answer>> {
  const found = await halts.halts();
  if (!found.ok) return found;
  return ok({
    json: { halts: found.value.map(({ grants: _, ...halt }) => halt) },
    text: () =>
      found.value.length === 0
        ? "no halt stands\n"
        : found.value
            .map(
              ({ session_id, by, reason, halted_at }) =>
                `${session_id ?? "everything"}  ${halted_at}  ${by}: ${reason}\n`,
            )
            .join(""),
  });
}
