import type { SessionSnapshotV1 } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { count, usd } from "../ui/numbers.ts";

/** The session as it stood after an event. A fold over the record: nothing is called. */
export function Scrubber(props: {
  readonly session_id: string;
  readonly total: number;
  readonly at: number;
  readonly onMove: (seq: number) => void;
}) {
  const { answer } = useGet<SessionSnapshotV1>(`/sessions/${props.session_id}/snapshot?at=${props.at}`);
  const then = answer.state === "there" ? answer.value : null;
  return (
    <div className="stack">
      <div className="scrubber">
        <strong>Replay</strong>
        <input
          type="range"
          min={1}
          max={props.total}
          value={props.at}
          aria-label="Replay up to event"
          onChange={(event) => props.onMove(Number(event.target.value))}
        />
        <span>
          {count(props.at)} of {count(props.total)}
        </span>
        <span className="soft">folds the record; nothing is called</span>
      </div>
      {then && (
        <p className="soft" role="status">
          Then: {count(then.cost.input + then.cost.output)} tokens, {usd(then.cost.usd)} · {then.tools_invoked.length}{" "}
          tool calls ·{" "}
          {Object.entries(then.agents)
            .map(([who, where]) => `${who} at ${where}`)
            .join(", ") || "nobody at work yet"}{" "}
          · {then.output ? `output “${then.output.slice(0, 80)}”` : "no output yet"}
        </p>
      )}
    </div>
  );
}
