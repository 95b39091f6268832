import type { Event } from "#log";
import type { WatchedFlow } from "../flow/flow.ts";
import type { StreamPart } from "./stream-part.ts";
import { partOfEvent } from "./stream-parts.ts";

/** The listeners of a flow: events to those who follow the record, parts to those who watch, and text to those who only read. */
export function shownTo({ onEvent, watcher, onPart, onText }: WatchedFlow): {
  readonly onEvent: (event: Event) => void;
  readonly onPart: ((part: StreamPart) => void) | undefined;
} {
  return {
    onEvent(event) {
      watcher?.(event);
      onEvent?.(event);
      const part = onPart && partOfEvent(event);
      if (part) onPart(part);
    },
    onPart:
      onPart || onText
        ? (part) => {
            onPart?.(part);
            if (part.type === "text") onText?.(part.role ?? "", part.text ?? "");
          }
        : undefined,
  };
}
