import { Fragment, memo, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Event } from "../api/types.ts";
import { count } from "../ui/numbers.ts";
import { Shape } from "../ui/state.tsx";
import { duration } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";
import { describe } from "./describe-event.ts";
import { foldPx, rowPx } from "./row-layout.ts";
import type { Rows } from "./rows.ts";
import { waitedFor } from "./waited-for.ts";

/** Rows drawn above and below the screen; the list is drawn again only after this many rows have scrolled past. */
const spare = 12;

interface Range {
  readonly first: number;
  readonly last: number;
  /** Without the spare rows, which follow in the next frame. */
  readonly isBare: boolean;
}

/**
 * After a long jump, or while the visible rows are still being read, only the visible rows are drawn: that frame costs half, and
 * the spare rows follow in the next one. Otherwise the range moves in steps, so that not every scrolled row draws the list again.
 */
function rangeAround(seen: { readonly first: number; readonly last: number }, before: Range, isRead: boolean): Range {
  const isFar = seen.first > before.last || seen.last < before.first;
  const step = spare / 2;
  const next =
    isFar || !isRead
      ? { ...seen, isBare: true }
      : {
          first: Math.max(0, Math.floor((seen.first - spare) / step) * step),
          last: Math.ceil((seen.last + spare) / step) * step,
          isBare: false,
        };
  const isSame = next.first === before.first && next.last === before.last && next.isBare === before.isBare;
  return isSame ? before : next;
}

/** Rows are virtualised: what is not on the screen is neither drawn nor fetched. */
export function Timeline(props: {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly rows: Rows;
  readonly startedAt: string;
  readonly selected: number | null;
  readonly onSelect: (seq: number) => void;
  /** While it is replayed: what came after this event has not happened yet. */
  readonly until: number | null;
  /** The session is running: a reader at the end of the list stays at the end. */
  readonly live: boolean;
}) {
  const { rows, selected, live, onSelect, box: scroller } = props;
  const { layout } = rows;
  const [range, setRange] = useState<Range>({ first: 0, last: 3 * spare, isBare: false });
  const atEnd = useRef(false);
  const look = () => {
    const box = scroller.current;
    if (!box) return;
    const { scrollTop, clientHeight } = box;
    const seen = { first: layout.indexAt(scrollTop), last: layout.indexAt(scrollTop + clientHeight) };
    const isRead = rows.at(seen.first) !== undefined && rows.at(seen.last) !== undefined;
    setRange((before) => rangeAround(seen, before, isRead));
    atEnd.current = scrollTop + clientHeight >= layout.height - rowPx;
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
  useEffect(() => {
    const more = range.isBare ? spare : 0;
    rows.want(Math.max(0, range.first - more), Math.min(last + more, layout.count - 1));
  }, [rows, range, last]);
  useEffect(() => {
    if (!range.isBare) return;
    const frame = requestAnimationFrame(() => look());
    return () => cancelAnimationFrame(frame);
  }, [range, rows]);

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
          const top = layout.top(index) + (folded > 0 ? foldPx : 0);
          return (
            <Fragment key={index}>
              {folded > 0 && (
                <div className="timeline-fold" style={{ top: top - foldPx }}>
                  {duration(folded)} {waitedFor(event)}
                </div>
              )}
              {event ? (
                <EventRow
                  event={event}
                  top={top}
                  offsetMs={Date.parse(event.ts) - began}
                  longestMs={longest}
                  selected={event.seq === selected}
                  isLater={props.until !== null && event.seq > props.until}
                  onSelect={onSelect}
                />
              ) : (
                <div className="timeline-row not-read" style={{ top }} aria-hidden="true" />
              )}
            </Fragment>
          );
        })}
      </div>
    </div>
  );
}

const EventRow = memo(function EventRow(props: {
  readonly event: Event;
  readonly top: number;
  readonly offsetMs: number;
  readonly longestMs: number;
  readonly selected: boolean;
  readonly isLater: boolean;
  readonly onSelect: (seq: number) => void;
}) {
  const { event } = props;
  const row = describe(event);
  const share = (row.durationMs ?? 0) / props.longestMs;
  const text = visible(row.text.slice(0, 300));
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    <div
      id={`event-${event.seq}`}
      role="option"
      aria-selected={props.selected}
      className={`timeline-row depth-${row.depth} lane-${row.lane}${row.quiet ? " quiet" : ""}${props.isLater ? " later" : ""}${row.state ? ` is-${row.state}` : ""}`}
      style={{ top: props.top }}
      onClick={() => props.onSelect(event.seq)}
    >
      <span className="at">{offset(props.offsetMs)}</span>
      <span className={`subject clip${row.state ? "" : ` dot ${row.lane}`}`}>
        {row.state && (
          <span className={`state ${row.state}`}>
            <Shape name={row.state} />
          </span>
        )}
        {visible(row.subject)}
      </span>
      <span className="text clip" title={text}>
        {row.decision && <b className="decision">{row.decision}</b>}
        {text}
      </span>
      {row.tokens !== undefined && <span className="number tokens">{count(row.tokens)} tok</span>}
      {row.durationMs !== undefined && (
        <span className="number took">
          {share > 0.06 && <i style={{ width: `${share * 100}%` }} />}
          {duration(row.durationMs)}
        </span>
      )}
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
