import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { problemOf, send } from "../api/client.ts";
import type { Event } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { Failure } from "../ui/failure.tsx";
import { count } from "../ui/numbers.ts";
import { ReadingPage } from "../ui/reading.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { useParam } from "../ui/use-param.ts";
import { EventWindow } from "./event-window.ts";
import { isExpression, type View } from "./filter-query.ts";
import { Filters } from "./filters.tsx";
import { Inspector } from "./inspector.tsx";
import { Minimap } from "./minimap.tsx";
import type { Opening, Outline } from "./opening.ts";
import { Overview } from "./overview.tsx";
import { layoutOfWindow, rowsFound, rowsOfWindow } from "./rows.ts";
import { Scrubber } from "./scrubber.tsx";
import { SessionHead } from "./session-head.tsx";
import { Timeline } from "./timeline.tsx";
import { useFound } from "./use-found.ts";
import { useLiveEvents } from "./use-live-events.ts";
import "./session.css";

/** About as many as a screen shows. */
const pageRows = 20;

export function SessionPage({ session_id }: { readonly session_id: string }) {
  const read = useGet<Opening>(`/sessions/${session_id}/opening`);
  return (
    <ReadingPage what="the session" read={read}>
      {(opening) => <Session opening={opening} again={read.again} />}
    </ReadingPage>
  );
}

function Session({ opening, again }: { readonly opening: Opening; readonly again: () => void }) {
  const { info } = opening;
  // biome-ignore lint/correctness/useExhaustiveDependencies: one window for as long as the page is open; it grows
  const window = useMemo(() => new EventWindow(info.session_id, info.events, opening.first), [info.session_id]);
  useEffect(() => () => window.close(), [window]);
  useEffect(() => window.grow(info.events), [window, info.events]);
  const version = useSyncExternalStore(window.subscribe, window.version);
  const grown = useLiveEvents(info, window, again);
  const outline = useOutline(opening, grown);

  const [, go] = useLocation();
  const [replay, setReplay] = useParam("replay");
  const replaying = replay !== null;
  const toggleReplay = () => setReplay(replaying ? null : "yes");
  const [failure, setFailure] = useState<string | null>(null);
  const finder = useRef<HTMLInputElement>(null);
  const usual = useMemo(() => usualView(info.events), [info.session_id]);
  const [chosenView, setView] = useParam("view");
  const view = (chosenView ?? usual) as View;
  const [find, setFind] = useParam("find");
  const typed = find ?? "";
  const found = useFound(info.session_id, view, typed, window.total);
  const [event, setEvent] = useParam("event");
  const selected = event === null ? null : Number(event);
  const select = useCallback((seq: number) => setEvent(String(seq)), [setEvent]);

  const foundVersion = found?.version() ?? 0;
  const layout = useMemo(() => layoutOfWindow(window.total, outline), [window.total, outline]);
  const rows = useMemo(
    () => (found ? rowsFound(found) : rowsOfWindow(window, layout)),
    [found, foundVersion, window, version, layout],
  );
  const chosen =
    selected === null ? undefined : (window.at(selected) ?? found?.events.find((event) => event.seq === selected));
  useEffect(() => {
    if (selected !== null && !chosen) window.want(Math.max(1, selected - 20), selected + 20);
  }, [selected, chosen, window]);
  const loaded = useMemo(
    () => (selected === null ? [] : merge(window.near(selected), found?.events ?? [])),
    [selected, window, version, found, foundVersion],
  );

  const step = (by: number) => {
    const index = selected === null ? -1 : rows.indexOf(selected);
    choose(index < 0 ? 0 : index + by);
  };
  const choose = (place: number) => {
    const next = Math.max(0, Math.min(rows.layout.count - 1, place));
    const there = rows.at(next);
    if (there) select(there.seq);
    else if (!found && rows.layout.count > 0) select(next + 1);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    arrowdown: () => step(1),
    arrowup: () => step(-1),
    pagedown: () => step(pageRows),
    pageup: () => step(-pageRows),
    home: () => choose(0),
    end: () => choose(rows.layout.count - 1),
    escape: () => setEvent(null),
    r: toggleReplay,
    "/": () => finder.current?.focus(),
  });

  const timeline = useRef<HTMLDivElement>(null);
  const isSought = useRef(false);
  const seek = (text: string) => {
    // The same words again lead to the next of what they found.
    if (text === typed && text !== "") return step(1);
    isSought.current = text.trim() !== "";
    return setFind(text);
  };
  // What was looked for is shown as soon as it is found, and the keys that move go through it.
  useEffect(() => {
    const first = found?.events.find(({ seq }) => seq >= (selected ?? 0)) ?? found?.events[0];
    if (!isSought.current || !first) return;
    isSought.current = false;
    select(first.seq);
    timeline.current?.focus();
  }, [found, foundVersion]);

  const fork = async () => {
    try {
      const { session_id } = await send<{ session_id: string }>("POST", `/sessions/${info.session_id}/fork`, {
        at: selected ?? window.total,
      });
      go(`/sessions/${session_id}`);
    } catch (thrown) {
      setFailure(problemOf(thrown).message);
    }
  };

  return (
    <div className="session">
      <div className="stack">
        <SessionHead
          opening={opening}
          outline={outline}
          selected={selected}
          replaying={replaying}
          onReplay={toggleReplay}
          onFork={() => void fork()}
          onChanged={again}
          onGo={select}
        />
        <Failure message={failure} />
        {replaying && (
          <Scrubber
            session_id={info.session_id}
            total={window.total}
            at={selected ?? window.total}
            onMove={select}
            onClose={() => setReplay(null)}
          />
        )}
      </div>
      <div className="split">
        <div className="left">
          <Filters
            view={view}
            onView={(next) => setView(next === usual ? null : next)}
            typed={typed}
            onFind={seek}
            found={found}
            place={selected === null ? -1 : rows.indexOf(selected)}
            onStep={step}
            problem={found?.problem ?? window.problem}
            total={window.total}
            input={finder}
          />
          {found?.complete && found.events.length === 0 && !found.problem ? (
            <NothingHere
              session_id={info.session_id}
              view={view}
              typed={typed}
              total={window.total}
              onView={() => setView("all")}
              onForget={() => setFind(null)}
            />
          ) : (
            <Timeline
              box={timeline}
              rows={rows}
              startedAt={info.started_at}
              selected={selected}
              until={replaying ? (selected ?? window.total) : null}
              onSelect={select}
              live={!info.closed}
            />
          )}
          <Minimap total={window.total} trouble={outline?.trouble ?? null} closed={info.closed} onGo={select} />
        </div>
        {chosen ? (
          <Inspector event={chosen} loaded={loaded} onClose={() => setEvent(null)} />
        ) : (
          <Overview session_id={info.session_id} outline={outline} />
        )}
      </div>
    </div>
  );
}

/** A view in which nothing is: what was looked for may stand among what it leaves out. */
function NothingHere(props: {
  readonly session_id: string;
  readonly view: View;
  readonly typed: string;
  readonly total: number;
  readonly onView: () => void;
  readonly onForget: () => void;
}) {
  const { view, typed } = props;
  const elsewhere = useFound(props.session_id, "all", view === "all" ? "" : typed, props.total);
  const others = elsewhere?.events.length ?? 0;
  return (
    <div className="timeline empty">
      <h2>{typed ? `Nothing found in “${view}”` : "No event of this kind"}</h2>
      <p>
        {!typed && `None of the ${count(props.total)} events is of this kind.`}
        {typed && isExpression(typed) && "No event makes this expression true."}
        {typed && !isExpression(typed) && "No event here says these words."}
        {others > 0 && ` Among all events it is found ${count(others)}${elsewhere?.complete ? "" : "+"} times.`}
      </p>
      <span className="row">
        {view !== "all" && (!typed || others > 0) && (
          <button type="button" className="button" onClick={props.onView}>
            Look at all events
          </button>
        )}
        {typed && (
          <button type="button" className="button" onClick={props.onForget}>
            Forget the search
          </button>
        )}
      </span>
    </div>
  );
}

/** What the session adds up to: at once for a short one, a moment later for a long one, anew while it grows. */
function useOutline(opening: Opening, grown: number): Outline | null {
  const { info, outline } = opening;
  const isAsked = outline === null || grown > 0;
  const { answer } = useGet<Outline>(isAsked ? `/sessions/${info.session_id}/outline#${grown} ${info.events}` : null);
  if (answer.state !== "there") return outline;
  return outline && outline.snapshot.event_count >= answer.value.snapshot.event_count ? outline : answer.value;
}

/** A long session opens with every event at its place: a filter would have to read it all before the scroll bar is right. */
const usualView = (events: number): View => (events <= longSession ? "story" : "all");
const longSession = 2_000;

function merge(left: readonly Event[], right: readonly Event[]): readonly Event[] {
  return [...new Map([...left, ...right].map((event) => [event.seq, event])).values()].sort((a, b) => a.seq - b.seq);
}
