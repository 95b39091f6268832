import { memo, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Event } from "../api/types.ts";
import { count } from "../ui/numbers.ts";
import { Shape } from "../ui/state.tsx";
import { duration } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";
import { describe } from "./describe-event.ts";
import { foldPx, rowPx } from "./row-layout.ts";
import type { Rows } from "./rows.ts";
import { waitedFor } from "./waited-for.ts";

/** Drawn above and below the screen; the list is drawn again only after so many rows have passed. */
const spare = 12;

/** Rows are virtualised: what is not on the screen is neither drawn nor fetched. */
export function Timeline(props: {
  readonly rows: Rows;
  readonly startedAt: string;
  readonly selected: number | null;
  readonly onSelect: (seq: number) => void;
  /** While it runs, somebody who looks at the end goes on looking at the end. */
  readonly live: boolean;
}) {
  const { rows, selected, live, onSelect } = props;
  const { layout } = rows;
  const scroller = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ first: 0, last: 3 * spare });
  const atEnd = useRef(false);
  const look = () => {
    const box = scroller.current;
    if (!box) return;
    const step = spare / 2;
    const first = Math.max(0, Math.floor((layout.indexAt(box.scrollTop) - spare) / step) * step);
    const last = Math.ceil((layout.indexAt(box.scrollTop + box.clientHeight) + spare) / step) * step;
    setRange((before) => (before.first === first && before.last === last ? before : { first, last }));
    atEnd.current = box.scrollTop + box.clientHeight >= layout.height - rowPx;
  };
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box && live && atEnd.current) box.scrollTop = layout.height;
    look();
  }, [layout]);
  useEffect(() => {
    const watcher = new ResizeObserver(look);
    if (scroller.current) watcher.observe(scroller.current);
    return () => watcher.disconnect();
  }, [layout]);
  const last = Math.min(range.last, layout.count - 1);
  useEffect(() => rows.want(range.first, last), [rows, range.first, last]);

  // Only a new choice moves the view: what arrives later must not pull it away from the reader.
  const place = selected === null ? -1 : rows.indexOf(selected);
  useEffect(() => {
    const box = scroller.current;
    if (!box || place < 0) return;
    const top = layout.top(place);
    if (top < box.scrollTop) box.scrollTop = top - rowPx;
    else if (top + rowPx + foldPx > box.scrollTop + box.clientHeight)
      box.scrollTop = top + 2 * rowPx + foldPx - box.clientHeight;
  }, [selected, place < 0]);

  const drawn: number[] = [];
  for (let index = range.first; index <= last; index++) drawn.push(index);
  const began = Date.parse(props.startedAt);
  const longest = roundUp(Math.max(1, ...drawn.map((index) => lengthOf(rows.at(index)))));
  return (
    <div
      className="timeline"
      ref={scroller}
      onScroll={look}
      role="listbox"
      aria-label="Events"
      tabIndex={0}
      aria-activedescendant={place >= range.first && place <= last ? `event-${selected}` : undefined}
    >
      <div style={{ height: layout.height }} className="timeline-all">
        {drawn.map((index) => {
          const event = rows.at(index);
          const folded = layout.foldedMs(index);
          return (
            <div
              key={index}
              className="timeline-slot"
              style={{ top: layout.top(index), height: rowPx + (folded > 0 ? foldPx : 0) }}
            >
              {folded > 0 && (
                <div className="timeline-fold">
                  {duration(folded)} {waitedFor(event)}
                </div>
              )}
              {event ? (
                <EventRow
                  event={event}
                  offsetMs={Date.parse(event.ts) - began}
                  longestMs={longest}
                  selected={event.seq === selected}
                  onSelect={onSelect}
                />
              ) : (
                <div className="timeline-row not-read" aria-hidden="true">
                  <i />
                </div>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const EventRow = memo(function EventRow(props: {
  readonly event: Event;
  readonly offsetMs: number;
  readonly longestMs: number;
  readonly selected: boolean;
  readonly onSelect: (seq: number) => void;
}) {
  const { event } = props;
  const told = describe(event);
  const share = (told.durationMs ?? 0) / props.longestMs;
  const text = visible(told.text.slice(0, 300));
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    <div
      id={`event-${event.seq}`}
      role="option"
      aria-selected={props.selected}
      className={`timeline-row depth-${told.depth} lane-${told.lane}${told.quiet ? " quiet" : ""}${told.state ? ` is-${told.state}` : ""}`}
      onClick={() => props.onSelect(event.seq)}
    >
      <span className="at">{offset(props.offsetMs)}</span>
      <span className="who">
        {told.state ? (
          <span className={`state ${told.state}`}>
            <Shape name={told.state} />
          </span>
        ) : (
          <i className={`dot ${told.lane}`} />
        )}
        <span className="subject clip">{visible(told.subject)}</span>
      </span>
      <span className="text clip" title={text}>
        {told.decision && <b className="decision">{told.decision}</b>}
        {text}
      </span>
      <span className="number tokens">{told.tokens === undefined ? "" : `${count(told.tokens)} tok`}</span>
      <span className="number took">
        {share > 0.06 && <i style={{ width: `${share * 100}%` }} />}
        {told.durationMs === undefined ? "" : duration(told.durationMs)}
      </span>
    </div>
  );
});

function lengthOf(event: Event | undefined): number {
  return event ? (describe(event).durationMs ?? 0) : 0;
}

/** Bars compare what is on the screen; in steps, so that scrolling by one row does not change all of them. */
function roundUp(ms: number): number {
  return 4 ** Math.ceil(Math.log(ms) / Math.log(4));
}

function offset(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 100) return seconds.toFixed(2).padStart(5, "0");
  if (seconds < 36_000) return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  return `${Math.floor(seconds / 3_600)} h ${two((seconds % 3_600) / 60)}`;
}

function two(value: number): string {
  return Math.floor(value).toString().padStart(2, "0");
}
