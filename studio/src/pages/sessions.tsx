import { useRef } from "react";
import { useSearchParams } from "wouter";
import type { SessionInfo } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { Chips } from "../ui/chips.tsx";
import { Empty } from "../ui/notes.tsx";
import { count } from "../ui/numbers.ts";
import { Reading } from "../ui/reading.tsx";
import { useKeptPlace } from "../ui/use-kept-place.ts";
import { useKeys } from "../ui/use-keys.ts";
import { useParam } from "../ui/use-param.ts";
import { SessionTable } from "./session-table.tsx";

const states = ["all", "open", "closed", "failed"] as const;

/** Rows that are shown at first and added with each step, up to the most; search finds sessions beyond that. */
const step = 200;
const most = 1_000;

interface Listed {
  readonly sessions: readonly SessionInfo[];
  readonly total: number;
}

export function SessionsPage({ live }: { readonly live: number }) {
  const [state, setState] = useParam("state", { push: true });
  const [query, setQuery] = useParam("q", { push: true });
  const finder = useRef<HTMLInputElement>(null);
  const filter = `${state ? `&state=${state}` : ""}${query ? `&q=${encodeURIComponent(query)}` : ""}`;
  const [shown, setShown] = useParam("shown");
  const limit = Math.min(most, Math.max(step, Number(shown) || step));
  const read = useGet<Listed>(`/sessions?limit=${limit}${filter}#${live}`, filter);
  useKeys({ "/": () => finder.current?.focus() });
  return (
    <div className="page">
      <header>
        <h1>Sessions</h1>
        <Chips
          label="Which sessions"
          names={states}
          chosen={state ?? "all"}
          onChoose={(name) => setState(name === "all" ? null : name)}
        />
        <span className="grow" />
        <span className="soft" role="status">
          {read.answer.state === "there" && totalText(read.answer.value.total, filter !== "")}
        </span>
        <input
          ref={finder}
          className="field"
          size={32}
          placeholder="find: words, id or work order"
          aria-label="Find a session"
          key={query}
          defaultValue={query ?? ""}
          onKeyDown={(event) => event.key === "Enter" && setQuery(event.currentTarget.value)}
        />
      </header>
      <Reading what="sessions" read={read}>
        {(listed) =>
          listed.sessions.length > 0 ? (
            <List {...listed} onMore={limit < most ? () => setShown(String(limit + step)) : null} />
          ) : (
            <NoSession isFiltered={filter !== ""} />
          )
        }
      </Reading>
    </div>
  );
}

function totalText(total: number, isFiltered: boolean): string {
  if (isFiltered) return `${count(total)} found`;
  return `${count(total)} ${total === 1 ? "session" : "sessions"}`;
}

function List({ sessions, total, onMore }: Listed & { readonly onMore: (() => void) | null }) {
  useKeptPlace();
  return (
    <div className="panel">
      <SessionTable sessions={sessions} />
      {total > sessions.length && (
        <p className="empty">
          The newest {count(sessions.length)} of {count(total)}.{" "}
          {onMore ? (
            <button type="button" className="button" onClick={onMore}>
              Show more
            </button>
          ) : (
            "Search finds the others."
          )}
        </p>
      )}
    </div>
  );
}

function NoSession({ isFiltered }: { readonly isFiltered: boolean }) {
  const [, setSearch] = useSearchParams();
  if (!isFiltered)
    return (
      <Empty title="No session yet" command={'writ run "greet Ada"'}>
        A session is one governed request. Make one:
      </Empty>
    );
  return (
    <Empty title="No session matches">
      <button type="button" className="button" onClick={() => setSearch({})}>
        Show all sessions
      </button>
    </Empty>
  );
}
