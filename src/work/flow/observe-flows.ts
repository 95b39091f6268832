import { isSessionId, ok, type Result } from "#core/values";
import type { ToolApprovals } from "#effects";
import type { Event, LogReader } from "#log";
import type { Inbox } from "#people";
import { WatchForPeople } from "../collect-questions/watch-for-people.ts";
import type { ForkControl } from "../replay/fork-session.ts";
import type { SessionControl } from "../replay/session-control.ts";
import type { FlowResult } from "./execution-context.ts";
import type { FlowOptions, WatchedFlow } from "./flow.ts";
import type { FlowRunner } from "./run-flow.ts";

/** Watches the events of flows: a tracer, where the workspace names an endpoint. */
export interface SessionObserver {
  /** Watches one flow. */
  watch(): { see(event: Event): void; end(): void };
}

interface Observers {
  readonly inbox: Inbox;
  readonly tools: ToolApprovals;
  readonly telemetry: SessionObserver | undefined;
  readonly log: Pick<LogReader, "read">;
  /** Applies what people approved since the last flow started. */
  readonly freshen: () => Promise<unknown>;
}

type OnEvent = NonNullable<FlowOptions["onEvent"]>;

interface Seen {
  readonly onEvent: OnEvent;
  readonly end: (result: FlowResult, author: string) => Promise<FlowResult>;
  readonly stop: () => void;
}

/** For every flow, whether run, resumed or forked: puts its open questions into the inbox and exports its trace. */
export class ObserveFlows {
  readonly #observers: Observers;

  constructor(observers: Observers) {
    this.#observers = observers;
  }

  runner(runner: FlowRunner): FlowRunner {
    return {
      ...runner,
      run: async (request, options = {}) => {
        // If the lookup fails, new approvals are not applied; a revoked tool is still refused when it is called.
        await this.#observers.freshen();
        const seen = this.#begin(undefined);
        const watched: WatchedFlow = { ...options, watcher: seen.onEvent };
        const result = await runner.run(request, watched);
        return seen.end(result, request.caller_id);
      },
    };
  }

  control(control: SessionControl): SessionControl {
    return {
      ...control,
      resumeSession: async (session_id, options = {}) => {
        const seen = this.#begin(options.onEvent);
        const resumed = await control.resumeSession(session_id, { ...options, onEvent: seen.onEvent });
        return this.#settled(resumed, seen);
      },
    };
  }

  forks(forks: ForkControl): ForkControl {
    return {
      ...forks,
      forkSession: async (session_id, wanted) => {
        const seen = this.#begin(wanted.onEvent);
        const forked = await forks.forkSession(session_id, { ...wanted, onEvent: seen.onEvent });
        return this.#settled(forked, seen);
      },
    };
  }

  #begin(onEvent: OnEvent | undefined): Seen {
    const { inbox, tools, telemetry } = this.#observers;
    const people = new WatchForPeople(inbox, tools);
    const spans = telemetry?.watch();
    return {
      onEvent: (event) => {
        people.see(event);
        spans?.see(event);
        onEvent?.(event);
      },
      end: (result, author) => {
        spans?.end();
        return people.settle(result, author);
      },
      stop: () => spans?.end(),
    };
  }

  /** The caller that started the session may not decide its questions, even if another caller resumed it. */
  async #settled(flow: Result<FlowResult>, seen: Seen): Promise<Result<FlowResult>> {
    const session_id = flow.ok ? flow.value.session_id : null;
    if (!flow.ok || typeof session_id !== "string" || !isSessionId(session_id)) {
      seen.stop();
      return flow;
    }
    let author = "nobody";
    for await (const first of this.#observers.log.read(session_id)) {
      if (!first.ok) return first;
      if (first.value.type === "session.start") author = first.value.payload.caller_id ?? author;
      break;
    }
    return ok(await seen.end(flow.value, author));
  }
}
