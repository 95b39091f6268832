import type { Answer, Invocation } from "#core/commands";
import { type Opens, type OptionSpecs, repeatedText, text } from "#core/commands";
import { domainError } from "#core/errors";
import { err, isoTime, ok, type Result } from "#core/values";
import type { LogReader } from "#log";
import { resolveSession } from "#log";
import type { BacktestService, Past } from "../backtest/backtest-service.ts";

/** Options that select recorded sessions. */
export interface PastOptions {
  readonly session?: readonly string[];
  readonly since?: string;
  readonly cycle?: string;
}

export const pastOptions: OptionSpecs<PastOptions> = {
  session: repeatedText("session", "only this session (id, short id, or last); may be given again"),
  since: text("when", "only what began then or later: a day, a time, or how long ago (12h, 7d)"),
  cycle: text("id", "only sessions that ran this cycle"),
};

export interface PastParts {
  readonly workspace: Opens<object>;
  readonly past: Opens<{ readonly root: string; readonly reader: LogReader; readonly backtests: BacktestService }>;
}

/** Selects recorded sessions by the options. They are parsed first, so that a typo is reported before the person is asked for trust. */
export function overPast(
  opens: PastParts,
  { options, context }: Invocation<PastOptions>,
  work: (backtests: BacktestService, past: Past) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  return opens.workspace(async () => {
    const since = sinceOf(options.since, context.clock.now());
    if (!since.ok) return since;
    return opens.past(async ({ root, reader, backtests }) => {
      const sessions: string[] = [];
      for (const wanted of options.session ?? []) {
        const session_id = await resolveSession(wanted, { root, reader });
        if (!session_id.ok) return session_id;
        sessions.push(session_id.value);
      }
      return work(backtests, {
        ...(sessions.length === 0 ? {} : { sessions }),
        ...(since.value === undefined ? {} : { since: since.value }),
        ...(options.cycle === undefined ? {} : { cycle: options.cycle }),
        signal: context.signal,
      });
    });
  });
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A time, or how long ago: `2026-11-01`, `12h`, `7d`. */
function sinceOf(text: string | undefined, now: number): Result<string | undefined> {
  if (text === undefined) return ok(undefined);
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const ago = units[unit ?? ""];
  if (count !== undefined && ago !== undefined) return ok(isoTime(now - Number(count) * ago));
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return ok(isoTime(time));
  return err(
    domainError("MALFORMED_INPUT", `--since ${JSON.stringify(text)} is no time`, {
      details: { hint: "a day (2026-11-01), a time (2026-11-01T08:00:00Z), or how long ago (30m, 12h, 7d, 4w)" },
    }),
  );
}
