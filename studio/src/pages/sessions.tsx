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
import { filterNames, SessionFilters } from "./session-filters.tsx";
import { SessionTable } from "./session-table.tsx";

const states = ["all", "open", "closed", "failed"] as const;

/** Rows that are shown at first and added with each step, up to the most; filters and search find all others. */
const step = 200;
const most = 1_000;

interface Listed {
  readonly sessions: readonly SessionInfo[];
  readonly total: number;
  readonly unread: number;
}

export function SessionsPage({ live }: { readonly live: number }) {
  const [search] = useSearchParams();
  const [state, setState] = useParam("state", { push: true });
  const [query, setQuery] = useParam("q", { push: true });
  const [sort, setSort] = useParam("sort");
  const finder = useRef<HTMLInputElement>(null);
  const [shown, setShown] = useParam("shown");
  const limit = Math.min(most, Math.max(step, Number(shown) || step));
  const filter = filterOf(search);
  const isFiltered = filterNames.some((name) => name !== "sort" && search.has(name));
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
          {read.answer.state === "there" && totalText(read.answer.value, isFiltered)}
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
      <SessionFilters />
      <Reading what="sessions" read={read}>
        {(listed) =>
          listed.sessions.length > 0 ? (
            <List
              {...listed}
              sort={sort ?? "began"}
              onSort={(name) => setSort(name === "began" ? null : name)}
              onMore={limit < most ? () => setShown(String(limit + step)) : null}
            />
          ) : (
            <NoSession isFiltered={isFiltered} />
          )
        }
      </Reading>
    </div>
  );
}

/** What the API is asked for; without a choice, the work and not the workspace's own records. */
function filterOf(search: URLSearchParams): string {
  const asked = new URLSearchParams();
  for (const name of filterNames) {
    const value = search.get(name);
    if (value !== null && value !== "" && !(name === "kind" && value === "all")) asked.set(name, value);
  }
  if (!search.has("kind")) asked.set("kind", "work");
  return `&${asked}`;
}

function totalText({ total, unread }: Listed, isFiltered: boolean): string {
  const behind = unread > 0 ? `, ${count(unread)} still being read` : "";
  if (isFiltered) return `${count(total)} found${behind}`;
  return `${count(total)} ${total === 1 ? "session" : "sessions"}${behind}`;
}

function List(
  props: Listed & {
    readonly sort: string;
    readonly onSort: (name: string) => void;
    readonly onMore: (() => void) | null;
  },
) {
  const { sessions, total, sort, onMore } = props;
  useKeptPlace();
  return (
    <div className="panel">
      <SessionTable sessions={sessions} sort={sort} onSort={props.onSort} />
      {total > sessions.length && (
        <p className="empty">
          {sort === "began" ? "The newest" : "The first"} {count(sessions.length)} of {count(total)}.{" "}
          {onMore ? (
            <button type="button" className="button" onClick={onMore}>
              Show more
            </button>
          ) : (
            "Filters and search find the others."
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
