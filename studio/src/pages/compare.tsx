import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { SessionInfo } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { shortId } from "../ui/copy.tsx";
import { Json } from "../ui/json.tsx";
import { Empty, Loading, Trouble } from "../ui/notes.tsx";

interface Side {
  readonly session_id: string;
  readonly [more: string]: unknown;
}
interface Step {
  readonly step: string;
  readonly left: unknown;
  readonly right: unknown;
  readonly same: boolean;
}
interface SessionDiff {
  readonly left: Side;
  readonly right: Side;
  readonly steps: readonly Step[];
}

/** Two sessions side by side, aligned by step, differences marked. */
export function ComparePage() {
  const [search, setSearch] = useSearchParams();
  const [left, right] = [search.get("left") ?? "", search.get("right") ?? ""];
  const [onlyDifferent, setOnlyDifferent] = useState(true);
  const { answer: list } = useGet<{ sessions: readonly SessionInfo[] }>("/sessions?limit=200");
  const sessions = list.state === "there" ? list.value.sessions : [];
  const { answer, again } = useGet<SessionDiff>(left && right ? `/sessions/${left}/diff?with=${right}` : null);
  const choose = (side: "left" | "right", id: string) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      next.set(side, id);
      return next;
    });
  return (
    <div className="page">
      <header>
        <h1>Compare</h1>
        {(["left", "right"] as const).map((side) => (
          <select
            key={side}
            className="field"
            aria-label={`The session on the ${side}`}
            value={side === "left" ? left : right}
            onChange={(event) => choose(side, event.target.value)}
          >
            <option value="">choose a session</option>
            {sessions.map((info) => (
              <option key={info.session_id} value={info.session_id}>
                {shortId(info.session_id)} · {info.work_order_id} · {info.status ?? "open"}
              </option>
            ))}
          </select>
        ))}
        <label className="row soft">
          <input type="checkbox" checked={onlyDifferent} onChange={(event) => setOnlyDifferent(event.target.checked)} />{" "}
          only differences
        </label>
      </header>
      {!(left && right) && (
        <Empty title="Choose two sessions">
          A fork and its parent, yesterday's run and today's: the steps are put side by side.
        </Empty>
      )}
      {left && right && answer.state === "loading" && <Loading what="both sessions" />}
      {answer.state === "failed" && <Trouble problem={answer.problem} retry={again} />}
      {answer.state === "there" && (
        <div className="panel">
          <table className="table">
            <thead>
              <tr>
                <th>step</th>
                <th>
                  <Link href={`/sessions/${left}`}>{shortId(left)}</Link>
                </th>
                <th>
                  <Link href={`/sessions/${right}`}>{shortId(right)}</Link>
                </th>
              </tr>
            </thead>
            <tbody>
              {answer.value.steps
                .filter((step) => !onlyDifferent || !step.same)
                .map((step) => (
                  <tr key={step.step}>
                    <td>
                      {step.step} <span className="soft">{step.same ? "same" : "differs"}</span>
                    </td>
                    <td className={step.same ? "" : "removed"}>
                      <Json value={step.left ?? "—"} />
                    </td>
                    <td className={step.same ? "" : "added"}>
                      <Json value={step.right ?? "—"} />
                    </td>
                  </tr>
                ))}
            </tbody>
          </table>
          {answer.value.steps.every((step) => step.same) && (
            <Empty title="No difference">The two took the same steps with the same results.</Empty>
          )}
        </div>
      )}
    </div>
  );
}
