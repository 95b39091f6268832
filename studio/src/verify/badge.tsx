import { lazy, Suspense, useEffect, useState } from "react";
import { Copy } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { count } from "../ui/numbers.ts";
import { Shape } from "../ui/state.tsx";
import { useParam } from "../ui/use-param.ts";
import { KeepBundle } from "./keep-bundle.tsx";
import { startWorker } from "./start-worker.ts";
import type { Question, Reply } from "./worker.ts";

// Checking a signature needs a library: it is loaded only when the proof is opened.
const Proof = lazy(() => import("./proof.tsx").then(({ Proof }) => ({ default: Proof })));
const afterPaintMs = 50;
const sendEveryMs = 100;

/** Computed here from the bytes of the events, not claimed by the server. Click for the proof. */
export function VerificationBadge({
  session_id,
  head,
  events,
}: {
  readonly session_id: string;
  readonly head: string;
  readonly events: number;
}) {
  const [reply, setReply] = useState<Reply>({ kind: "progress", events: 0 });
  const [open, setOpen] = useParam("proof");
  useEffect(() => {
    setReply({ kind: "progress", events: 0 });
    let worker: Worker | undefined;
    // The page comes first: it is painted before the first line is hashed.
    const later = setTimeout(() => {
      worker = startWorker();
      worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => setReply(data));
      worker.postMessage({ kind: "prove", session_id } satisfies Question);
    }, afterPaintMs);
    // Scrolling comes before the proof: the worker slows down while the page moves.
    let sentAt = 0;
    const moved = ({ timeStamp }: globalThis.Event) => {
      if (timeStamp - sentAt < sendEveryMs) return;
      sentAt = timeStamp;
      worker?.postMessage({ kind: "moved" } satisfies Question);
    };
    window.addEventListener("scroll", moved, { capture: true, passive: true });
    return () => {
      clearTimeout(later);
      window.removeEventListener("scroll", moved, { capture: true });
      worker?.terminate();
    };
  }, [session_id, head]);

  const good = reply.kind === "verdict" && reply.state.ok;
  const tone = good ? "good" : reply.kind === "progress" ? "idle" : "bad";
  return (
    <>
      <button type="button" className={`badge ${tone}`} onClick={() => setOpen("yes")} data-testid="verification">
        <span className={`state ${good ? "done" : reply.kind === "progress" ? "running" : "failed"}`}>
          <Shape name={good ? "done" : reply.kind === "progress" ? "running" : "failed"} />
        </span>
        {label(reply, events)}
      </button>
      {open && (
        <Dialog label="Proof of this session" onClose={() => setOpen(null)}>
          <h2>{label(reply, events)}</h2>
          {reply.kind === "verdict" && reply.state.ok && (
            <p>
              This browser hashed all {count(reply.state.events)} events again. The last one is{" "}
              <Copy value={reply.state.head} shown={`${reply.state.head.slice(0, 16)}…`} />
            </p>
          )}
          {reply.kind === "verdict" && !reply.state.ok && (
            <div className="note bad">
              <strong>
                Event {reply.state.at}: {reply.state.what}
              </strong>
              <p className="mono">expected {reply.state.expected}</p>
              <p className="mono">found {reply.state.found}</p>
              <p>What stands before it is proven. What stands from it on is not.</p>
            </div>
          )}
          {reply.kind === "failed" && <p>The events could not be read: {reply.reason}</p>}
          <Suspense fallback={<p className="faint">Reading the anchor …</p>}>
            <Proof session_id={session_id} />
          </Suspense>
          <p className="soft">
            The same on the command line: <code>writ session verify {session_id}</code>
          </p>
          <KeepBundle session_id={session_id} />
        </Dialog>
      )}
    </>
  );
}

function label(reply: Reply, events: number): string {
  if (reply.kind === "progress")
    return reply.events > 0 && reply.events < events
      ? `checking, ${Math.floor((reply.events / events) * 100)} %`
      : "checking";
  if (reply.kind === "failed") return "not checked";
  return reply.state.ok ? `verified, ${count(reply.state.events)} events` : `broken at event ${reply.state.at}`;
}
