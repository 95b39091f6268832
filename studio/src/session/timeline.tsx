import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import type { Event } from "../api/types.ts";
import { count } from "../ui/numbers.ts";
import { Shape } from "../ui/state.tsx";
import { duration } from "../ui/time.tsx";
import { describe } from "./describe-event.ts";

export interface Rows {
  readonly length: number;
  at(index: number): Event | undefined;
  /** What is on the screen: fetch it. */
  want(from: number, to: number): void;
}

const rowPx = 28;
const gapPx = 24;
/** A wait longer than this is folded into one line instead of stretching the picture. */
const idleMs = 60_000;

/** Rows are virtualised: what is not on the screen is neither drawn nor fetched. */
export function Timeline(props: {
  readonly rows: Rows;
  readonly startedAt: string;
  readonly selected: number | null;
  readonly onSelect: (seq: number) => void;
  readonly version: number;
}) {
  const { rows, selected } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const gapBefore = (index: number): number => {
    const [before, here] = [index > 0 ? rows.at(index - 1) : undefined, rows.at(index)];
    const gap = before && here ? Date.parse(here.ts) - Date.parse(before.ts) : 0;
    return gap > idleMs ? gap : 0;
  };
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => rowPx + (gapBefore(index) ? gapPx : 0),
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => {
    rows.want(first, last);
  }, [rows, first, last]);
  useEffect(() => {
    virtual.measure();
  }, [virtual, props.version]);
  useEffect(() => {
    if (selected === null) return;
    for (let index = 0; index < rows.length; index++) {
      if (rows.at(index)?.seq !== selected) continue;
      virtual.scrollToIndex(index, { align: "auto" });
      return;
    }
  }, [selected, rows, virtual]);

  const isDrawn = selected !== null && items.some(({ index }) => rows.at(index)?.seq === selected);
  const began = Date.parse(props.startedAt);
  // Bars compare what is on the screen: against the whole session one long wait would make all of them invisible.
  const longest = Math.max(1, ...items.map(({ index }) => lengthOf(rows.at(index))));
  return (
    <div
      className="timeline"
      ref={scroller}
      role="listbox"
      aria-label="Events"
      tabIndex={0}
      aria-activedescendant={isDrawn ? `event-${selected}` : undefined}
    >
      <div style={{ height: virtual.getTotalSize() }} className="timeline-all">
        {items.map((item) => {
          const event = rows.at(item.index);
          const gap = gapBefore(item.index);
          return (
            <div
              key={item.key}
              className="timeline-slot"
              style={{ transform: `translateY(${item.start}px)`, height: item.size }}
            >
              {gap > 0 && <div className="timeline-gap">{duration(gap)} idle</div>}
              {event ? (
                <EventRow
                  event={event}
                  offsetMs={Date.parse(event.ts) - began}
                  longestMs={longest}
                  selected={event.seq === selected}
                  onSelect={props.onSelect}
                />
              ) : (
                <div className="timeline-row faint">…</div>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function EventRow(props: {
  readonly event: Event;
  readonly offsetMs: number;
  readonly longestMs: number;
  readonly selected: boolean;
  readonly onSelect: (seq: number) => void;
}) {
  const { event } = props;
  const told = describe(event);
  const share = told.durationMs ? Math.max(0.03, told.durationMs / props.longestMs) : 0;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    <div
      id={`event-${event.seq}`}
      role="option"
      aria-selected={props.selected}
      className={`timeline-row lane-${told.lane}${told.quiet ? " quiet" : ""}${told.state ? ` is-${told.state}` : ""}`}
      onClick={() => props.onSelect(event.seq)}
    >
      <span className="at">{offset(props.offsetMs)}</span>
      <span className={`mark depth-${told.depth}`}>
        {told.state ? (
          <span className={`state ${told.state}`}>
            <Shape name={told.state} />
          </span>
        ) : (
          <i className={`dot ${told.lane}`} />
        )}
      </span>
      <span className={`subject clip depth-${told.depth}`}>{told.subject}</span>
      <span className="decision clip">{told.decision ?? ""}</span>
      <span className="text clip" title={told.text.slice(0, 400)}>
        {told.text.slice(0, 300)}
      </span>
      <span className="span" aria-hidden="true">
        {share > 0 && <i style={{ width: `${share * 100}%` }} />}
      </span>
      <span className="number">{told.tokens === undefined ? "" : `${count(told.tokens)} tok`}</span>
      <span className="number">{told.durationMs === undefined ? "" : duration(told.durationMs)}</span>
    </div>
  );
}

function lengthOf(event: Event | undefined): number {
  return event ? (describe(event).durationMs ?? 0) : 0;
}

function offset(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 100) return seconds.toFixed(2).padStart(5, "0");
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${Math.floor(seconds % 60)
    .toString()
    .padStart(2, "0")}`;
}
