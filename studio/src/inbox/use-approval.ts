import { useCallback, useEffect, useRef, useState } from "react";
import { get, type Problem, problemOf } from "../api/client.ts";
import type { Approval } from "../api/types.ts";

export interface OnScreen {
  /** As the reader has it before them; what became of it meanwhile stands in it. */
  readonly approval: Approval | null;
  readonly problem: Problem | null;
  /** What it would do has changed since it was shown. It is shown when the reader asks, and not answered before. */
  readonly isChanged: boolean;
  /** It has been painted: from now on a key may mean it. */
  readonly isSeen: boolean;
  readonly show: () => void;
  readonly take: (now: Approval) => void;
  readonly again: () => void;
}

/** One question, still: its content changes only when the reader asks, its end is shown where it stands. */
export function useApproval(approval_id: string, live: number): OnScreen {
  const [approval, setApproval] = useState<Approval | null>(null);
  const [latest, setLatest] = useState<Approval | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isSeen, setSeen] = useState(false);
  const [round, setRound] = useState(0);
  const current = useRef(approval);
  current.current = approval;
  const again = useCallback(() => setRound((before) => before + 1), []);
  const take = useCallback((now: Approval) => setApproval((before) => before && withEnd(before, now)), []);
  useEffect(() => {
    const stop = new AbortController();
    const isFirst = current.current === null;
    const read = async () => {
      try {
        const now = await get<Approval>(`/approvals/${approval_id}${isFirst ? "" : "?brief=true"}`, stop.signal);
        setProblem(null);
        if (isFirst) setApproval(now);
        else {
          setLatest(now);
          take(now);
        }
      } catch (thrown) {
        if (!stop.signal.aborted) setProblem(problemOf(thrown));
      }
    };
    void read();
    return () => stop.abort();
  }, [approval_id, live, round, take]);
  const isThere = approval !== null;
  useEffect(() => {
    if (!isThere) return;
    // Two frames: the first is drawn when the second begins.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setSeen(true));
    });
    return () => cancelAnimationFrame(frame);
  }, [isThere]);
  const isOpen = approval !== null && approval.state === "open";
  const over = isOpen ? (approval.counts_at ?? approval.expires_at) : undefined;
  useEffect(() => {
    if (over === undefined) return;
    const ms = Date.parse(over) - Date.now();
    const timer = ms < 86_400_000 ? setTimeout(again, Math.max(ms, 0) + 250) : undefined;
    return () => clearTimeout(timer);
  }, [over, again, round]);
  const isChanged = isOpen && latest !== null && wouldDo(latest) !== wouldDo(approval);
  const show = () => {
    setApproval(null);
    setLatest(null);
    setSeen(false);
    current.current = null;
    again();
  };
  return { approval, problem, isChanged, isSeen, show, take, again };
}

/** What became of it, in the place where it stands. */
function withEnd(before: Approval, now: Approval): Approval {
  const { state, choice, decided_by, decided_at, decision_reason, result, counts_at } = now;
  return {
    ...before,
    state,
    choice,
    decided_by,
    decided_at,
    decision_reason,
    result,
    ...(counts_at === undefined ? {} : { counts_at }),
  };
}

function wouldDo({ foreseen }: Approval): string {
  return JSON.stringify([foreseen?.change ?? null, foreseen?.change || foreseen?.stale.length ? foreseen.stale : []]);
}
