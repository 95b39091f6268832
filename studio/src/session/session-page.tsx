import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { useLocation, useSearchParams } from "wouter";
import { problemOf, send } from "../api/client.ts";
import { follow } from "../api/live.ts";
import type { Event, SessionDetail } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { Loading, Trouble } from "../ui/notes.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { EventWindow } from "./event-window.ts";
import { Filters, type View } from "./filters.tsx";
import { Inspector } from "./inspector.tsx";
import { Minimap } from "./minimap.tsx";
import { Overview } from "./overview.tsx";
import { Scrubber } from "./scrubber.tsx";
import { SessionHead } from "./session-head.tsx";
import { type Rows, Timeline } from "./timeline.tsx";
import { type FoundEvents, useFound } from "./use-found.ts";
import "./session.css";

export function SessionPage({ session_id }: { readonly session_id: string }) {
  const { answer, again } = useGet<SessionDetail>(`/sessions/${session_id}`);
  if (answer.state === "loading")
    return (
      <div className="page">
        <Loading what="the session" />
      </div>
    );
  if (answer.state === "failed")
    return (
      <div className="page">
        <Trouble problem={answer.problem} retry={again} />
      </div>
    );
  return <Session key={answer.value.info.session_id} detail={answer.value} again={again} />;
}

function Session({ detail, again }: { readonly detail: SessionDetail; readonly again: () => void }) {
  const { info } = detail;
  const window = useMemo(() => new EventWindow(info.session_id, info.events), [info.session_id, info.events]);
  const version = useSyncExternalStore(window.subscribe, window.version);
  const [search, setSearch] = useSearchParams();
  const [, go] = useLocation();
  const [replaying, setReplaying] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const finder = useRef<HTMLInputElement>(null);

  const view = (search.get("view") ?? defaultView(info.events)) as View;
  const expression = search.get("find") ?? "";
  const found = useFound(info.session_id, view, expression, window.total);
  const selected = search.has("event") ? Number(search.get("event")) : null;
  const set = (name: string, value: string | null) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );

  useEffect(() => {
    if (info.closed) return;
    return follow(`/sessions/${info.session_id}/stream?after=${info.events}`, {
      lastId: String(info.events),
      onMessage: ({ event, data }) => {
        if (event === "event") window.add(data as Event);
        if (event === "end") again();
      },
    });
  }, [info.closed, info.session_id, info.events, window, again]);

  const rows = useMemo(
    () => (found ? rowsFound(found) : rowsOfWindow(window)),
    [found, found?.version(), window, version],
  );
  const loaded = useMemo(
    () => (found ? merge(window.loaded(), found.events) : window.loaded()),
    [found, window, version],
  );
  const chosen =
    selected === null ? undefined : (window.at(selected) ?? found?.events.find((event) => event.seq === selected));
  useEffect(() => {
    if (selected !== null) window.want(Math.max(1, selected - 20), selected + 20);
  }, [selected, window]);

  const step = (by: number) => {
    const index = indexOf(rows, selected);
    const next = rows.at(Math.max(0, Math.min(rows.length - 1, index < 0 ? 0 : index + by)));
    if (next) set("event", String(next.seq));
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    arrowdown: () => step(1),
    arrowup: () => step(-1),
    escape: () => set("event", null),
    r: () => setReplaying((before) => !before),
    "/": () => finder.current?.focus(),
  });

  const fork = async () => {
    try {
      const { session_id } = await send<{ session_id: string }>("POST", `/sessions/${info.session_id}/fork`, {
        at: selected ?? info.events,
      });
      go(`/sessions/${session_id}`);
    } catch (thrown) {
      setFailure(problemOf(thrown).message);
    }
  };

  return (
    <div className="session">
      <SessionHead
        detail={detail}
        selected={selected}
        replaying={replaying}
        onReplay={() => setReplaying((before) => !before)}
        onFork={fork}
        onChanged={again}
      />
      <div className="stack">
        {failure && (
          <div className="note bad" role="alert">
            {failure}
          </div>
        )}
        {replaying && (
          <Scrubber
            session_id={info.session_id}
            total={window.total}
            at={selected ?? window.total}
            onMove={(seq) => set("event", String(seq))}
          />
        )}
      </div>
      <div className="split">
        <div className="left">
          <Filters
            view={view}
            onView={(next) => set("view", next === defaultView(info.events) ? null : next)}
            expression={expression}
            onFind={(text) => set("find", text || null)}
            found={found}
            total={window.total}
            input={finder}
          />
          <Timeline
            rows={rows}
            version={version}
            startedAt={info.started_at}
            selected={selected}
            onSelect={(seq) => set("event", String(seq))}
          />
          <Minimap total={window.total} loaded={loaded} onGo={(seq) => set("event", String(seq))} />
        </div>
        {chosen ? (
          <Inspector event={chosen} loaded={loaded} />
        ) : (
          <Overview snapshot={detail.snapshot} session_id={info.session_id} total={window.total} />
        )}
      </div>
    </div>
  );
}

/** A long session opens with every event at its place: a filter would have to read it all before the scroll bar is right. */
const defaultView = (events: number): View => (events <= longSession ? "story" : "all");
const longSession = 2_000;

function rowsOfWindow(window: EventWindow): Rows {
  return {
    length: window.total,
    at: (index) => window.at(index + 1),
    want: (from, to) => window.want(from + 1, to + 1),
  };
}

function rowsFound(found: FoundEvents): Rows {
  return {
    length: found.events.length,
    at: (index) => found.events[index],
    want: (_, to) => {
      if (to >= found.events.length - 20) found.more();
    },
  };
}

function indexOf(rows: Rows, seq: number | null): number {
  if (seq === null) return -1;
  if (rows.at(seq - 1)?.seq === seq) return seq - 1;
  for (let index = 0; index < rows.length; index++) if (rows.at(index)?.seq === seq) return index;
  return -1;
}

function merge(left: readonly Event[], right: readonly Event[]): readonly Event[] {
  return [...new Map([...left, ...right].map((event) => [event.seq, event])).values()].sort((a, b) => a.seq - b.seq);
}
