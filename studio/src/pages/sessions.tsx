import { useRef } from "react";
import { useSearchParams } from "wouter";
import type { SessionInfo } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { Empty, Loading, Trouble } from "../ui/notes.tsx";
import { count } from "../ui/numbers.ts";
import { useKeys } from "../ui/use-keys.ts";
import { SessionTable } from "./session-table.tsx";

const states = ["all", "open", "closed", "failed"] as const;

export function SessionsPage({ live }: { readonly live: number }) {
  const [search, setSearch] = useSearchParams();
  const state = search.get("state") ?? "all";
  const query = search.get("q") ?? "";
  const finder = useRef<HTMLInputElement>(null);
  const filter = `${state === "all" ? "" : `&state=${state}`}${query ? `&q=${encodeURIComponent(query)}` : ""}`;
  const { answer, again } = useGet<{ sessions: readonly SessionInfo[]; total: number }>(
    `/sessions?limit=200${filter}#${live}`,
  );
  useKeys({ "/": () => finder.current?.focus() });
  const set = (name: string, value: string) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (value && value !== "all") next.set(name, value);
      else next.delete(name);
      return next;
    });
  return (
    <div className="page">
      <header>
        <h1>Sessions</h1>
        {states.map((name) => (
          <button
            key={name}
            type="button"
            className="chip"
            aria-pressed={name === state}
            onClick={() => set("state", name)}
          >
            {name}
          </button>
        ))}
        <span className="grow" />
        <input
          ref={finder}
          className="field"
          placeholder="id or work order"
          aria-label="Find a session"
          defaultValue={query}
          onKeyDown={(event) => event.key === "Enter" && set("q", event.currentTarget.value)}
        />
      </header>
      {answer.state === "loading" && <Loading what="sessions" />}
      {answer.state === "failed" && <Trouble problem={answer.problem} retry={again} />}
      {answer.state === "there" &&
        (answer.value.sessions.length > 0 ? (
          <div className="panel">
            <SessionTable sessions={answer.value.sessions} />
            {answer.value.total > answer.value.sessions.length && (
              <p className="empty">
                The newest {count(answer.value.sessions.length)} of {count(answer.value.total)}. Search finds the
                others.
              </p>
            )}
          </div>
        ) : (
          <Empty title="No session matches" command={'writ run "greet Ada"'}>
            A session is one governed request. Make one:
          </Empty>
        ))}
    </div>
  );
}
