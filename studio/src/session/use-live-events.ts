import { useEffect, useState } from "react";
import { follow } from "../api/live.ts";
import type { Event, SessionInfo } from "../api/types.ts";
import type { EventWindow } from "./event-window.ts";

/** What depends on all events is read again at most so often while they come. */
const gatherMs = 400;

/** Puts the events of a running session into the window as they come; answers how often enough came to add up anew. */
export function useLiveEvents(info: SessionInfo, window: EventWindow, onEnd: () => void): number {
  const [grown, setGrown] = useState(0);
  useEffect(() => {
    if (info.closed) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = follow(`/sessions/${info.session_id}/stream`, {
      lastId: String(window.total),
      onMessage: ({ event, data }) => {
        if (event === "end") return onEnd();
        if (event !== "event") return;
        window.add(data as Event);
        timer ??= setTimeout(() => {
          timer = undefined;
          setGrown((before) => before + 1);
        }, gatherMs);
      },
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [info.closed, info.session_id, window, onEnd]);
  return grown;
}
