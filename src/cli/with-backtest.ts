import { domainError, err, isoTime, ok, type Result } from "#base";
import type { BacktestDesk, Past } from "#compose";
import type { Answer, Invocation } from "./act.ts";
import { askingForTrust } from "./ask-for-trust.ts";
import { resolveSession } from "./session/resolve-session.ts";
import { workspaceOf } from "./workspace-of.ts";

/** Which part of the past, as people say it. */
export interface PastOptions {
  readonly session?: readonly string[];
  readonly since?: string;
  readonly cycle?: string;
}

/** Opens the past of a workspace for judging it; nothing is called and nothing is recorded. */
export async function withBacktest<Options extends PastOptions>(
  invocation: Invocation<Options>,
  work: (desk: BacktestDesk, past: Past) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  const { context, options } = invocation;
  const root = await workspaceOf(invocation);
  if (!root.ok) return root;
  const since = sinceOf(options.since, context.clock.now());
  if (!since.ok) return since;
  const { openBacktest } = await import("#compose");
  const opened = await askingForTrust(invocation, () => openBacktest(root.value, context));
  if (!opened.ok) return opened;
  const { desk, reader, close } = opened.value;
  try {
    const sessions: string[] = [];
    for (const wanted of options.session ?? []) {
      const session_id = await resolveSession(wanted, { root: root.value, reader });
      if (!session_id.ok) return session_id;
      sessions.push(session_id.value);
    }
    return await work(desk, {
      ...(sessions.length === 0 ? {} : { sessions }),
      ...(since.value === undefined ? {} : { since: since.value }),
      ...(options.cycle === undefined ? {} : { cycle: options.cycle }),
      signal: context.signal,
    });
  } finally {
    await close();
  }
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

/** For an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
