import { err, type Result } from "#core/values";
import type { Event, EventInput, EventType } from "#log";
import { interruptedFlow } from "../flow/is-stopped.ts";
import type { SessionMiddleware } from "../flow/layered-session.ts";
import { type Halt, type Halts, haltedError } from "./halts.ts";

/** The kill switch over one session. */
export interface HaltGuard {
  readonly middleware: SessionMiddleware;
  /** The halt that reached it, once its event is on disk. */
  halted(): Promise<Halt | undefined>;
  /** Stops watching. */
  end(): void;
}

/** An event that announces an effect, appended and never staged: nothing of the kind begins under a halt. */
const announcing: ReadonlySet<string> = new Set(["llm.request", "tool.invoke"]);

/**
 * A halt is written down, running calls are cancelled, and from then on nothing is recorded but how they ended: the rest
 * would be the dying words of a flow that will go on later as if it had not died.
 */
export function guardAgainstHalts(
  halts: Halts,
  ancestors: readonly string[],
  cancel: () => void,
  /** Aborted: the process of this flow is to end, and the session is resumed later. Nothing of that is recorded: it is no act. */
  interrupt?: AbortSignal,
): HaltGuard {
  let halt: Halt | undefined;
  let written: Promise<Result<unknown>> | undefined;
  let endings: readonly (() => void)[] = [];
  const refusal = (input: EventInput): Result<never> | undefined => {
    if (tellsHowItEnded(input)) return undefined;
    if (halt) return err(haltedError(halt));
    return interrupt?.aborted ? err(interruptedFlow()) : undefined;
  };
  const middleware: SessionMiddleware = (next) => {
    const lineage = [...ancestors, next.session_id];
    const stop = (by: Halt) => {
      if (halt) return;
      halt = by;
      written = next.append({ type: "session.halted", actor: "halt", payload: { ...by } });
      cancel();
    };
    endings = lineage.map((session_id) => halts.watch(session_id, stop));
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
      async append<T extends EventType>(input: EventInput<T>): Promise<Result<Event<T>>> {
        const asks = !halt && announcing.has(input.type);
        const refused = asks ? await refusalToAct(input) : refusal(input);
        return refused ?? next.append(input);
      },
      stage<T extends EventType>(input: EventInput<T>): Result<Event<T>> {
        return refusal(input) ?? next.stage(input);
      },
    };
  };
  return {
    middleware,
    async halted() {
      await written;
      return halt;
    },
    end() {
      for (const each of endings) each();
    },
  };
}

function tellsHowItEnded({ type, payload }: EventInput): boolean {
  if (type === "tool.result" || type === "turn.committed") return true;
  if (type === "order.landed" || type === "order.quarantined") return true;
  return type === "llm.response" && payload.status === "ok";
}
