import type { SessionSnapshotV1 } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { count, usd } from "../ui/numbers.ts";
import { visible } from "../ui/visible.ts";

/** The session as it stood after an event. A fold over the record: nothing is called. */
export function Scrubber(props: {
  readonly session_id: string;
  readonly total: number;
  readonly at: number;
  readonly onMove: (seq: number) => void;
  readonly onClose: () => void;
}) {
  const { answer } = useGet<SessionSnapshotV1>(`/sessions/${props.session_id}/snapshot?at=${props.at}`);
  const then = answer.state === "there" ? answer.value : null;
  return (
    <div className="scrubber">
      <strong>Replay</strong>
      <button
        type="button"
        className="button quiet"
        aria-label="One event back"
        disabled={props.at <= 1}
        onClick={() => props.onMove(props.at - 1)}
      >
        ‹
      </button>
      <input
        type="range"
        min={1}
        max={props.total}
        value={props.at}
        aria-label="Replay up to event"
        onChange={(event) => props.onMove(Number(event.target.value))}
      />
      <button
        type="button"
        className="button quiet"
        aria-label="One event on"
        disabled={props.at >= props.total}
        onClick={() => props.onMove(props.at + 1)}
      >
        ›
      </button>
      <span className="number">
        {count(props.at)} of {count(props.total)}
      </span>
      <button type="button" className="button quiet" onClick={props.onClose}>
        close
      </button>
      <p className="then" role="status">
        {then ? (
          <>
            Then: {count(then.cost.input + then.cost.output)} tokens, {usd(then.cost.usd)} ·{" "}
            {count(then.tools_invoked.length)} tool calls ·{" "}
            {Object.entries(then.agents)
              .map(([who, where]) => `${visible(who)} at ${visible(where)}`)
              .join(", ") || "nobody at work yet"}{" "}
            · {then.output ? `output “${visible(then.output.slice(0, 80))}”` : "no output yet"}
          </>
        ) : (
          "Folding the record …"
        )}
        <span className="soft"> The record is folded again: no model and no tool is called.</span>
      </p>
    </div>
  );
}
