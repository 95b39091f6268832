import { err, type Result } from "#base";
import type { Event, EventInput, EventType, SessionLog } from "#events";
import { type Halt, type Halts, haltedError } from "./halts.ts";

export interface HaltableSession {
  readonly session: SessionLog;
  /** The halt that reached it, once its event is on disk. */
  halted(): Promise<Halt | undefined>;
  /** Stops watching. */
  end(): void;
}

/** An event that announces an effect, appended and never staged: nothing of the kind begins under a halt. */
const announcing: ReadonlySet<string> = new Set(["llm.request", "tool.invoke"]);

/**
 * The same session under the kill switch. A halt is written down, running calls are cancelled, and from then on nothing is
 * recorded but how they ended: the rest would be the dying words of a flow that will go on later as if it had not died.
 */
export function haltableSession(
  live: SessionLog,
  halts: Halts,
  ancestors: readonly string[],
  cancel: () => void,
): HaltableSession {
  const lineage = [...ancestors, live.session_id];
  let halt: Halt | undefined;
  let written: Promise<Result<unknown>> | undefined;
  const stop = (by: Halt) => {
    if (halt) return;
    halt = by;
    written = live.append({ type: "session.halted", actor: "halt", payload: { ...by } });
    cancel();
  };
  const endings = lineage.map((session_id) => halts.watch(session_id, stop));
  const end = () => {
    for (const each of endings) each();
  };
  const refusal = (input: EventInput): Result<never> | undefined =>
    halt && !tellsHowItEnded(input) ? err(haltedError(halt)) : undefined;
  /** Asks the switch itself: what was polled a moment ago is not enough for an effect to begin. */
  const refusalToAct = async (input: EventInput): Promise<Result<never> | undefined> => {
    for (const session_id of lineage) {
      const standing = await halts.standing(session_id);
      if (!standing.ok) return standing;
      if (standing.value) stop(standing.value);
    }
    return refusal(input);
  };
  return {
    session: {
      session_id: live.session_id,
      tier: live.tier,
      get head() {
        return live.head;
      },
      async append<T extends EventType>(input: EventInput<T>): Promise<Result<Event<T>>> {
        const asks = !halt && announcing.has(input.type);
        const refused = asks ? await refusalToAct(input) : refusal(input);
        return refused ?? live.append(input);
      },
      stage<T extends EventType>(input: EventInput<T>): Result<Event<T>> {
        return refusal(input) ?? live.stage(input);
      },
      close: (input) => live.close(input),
      release: () => live.release(),
    },
    async halted() {
      await written;
      return halt;
    },
    end,
  };
}

function tellsHowItEnded({ type, payload }: EventInput): boolean {
  if (type === "tool.result") return true;
  return type === "llm.response" && payload.status === "ok";
}
