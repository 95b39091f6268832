import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { SessionInfo } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { shortId } from "../ui/copy.tsx";
import { Empty, Loading, Trouble } from "../ui/notes.tsx";
import { visible } from "../ui/visible.ts";

interface Half {
  readonly kind: string;
  readonly label: string;
  readonly result: string;
  readonly seq: number;
  readonly tokens?: number;
}
interface SessionDiff {
  readonly same: boolean;
  readonly steps: readonly { readonly state: string; readonly a?: Half | null; readonly b?: Half | null }[];
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
                .filter((step) => !onlyDifferent || step.state !== "same")
                .map((step) => (
                  <tr key={`${step.a?.seq ?? ""} ${step.b?.seq ?? ""}`}>
                    <td>
                      {(step.a ?? step.b)?.label} <span className="soft">{step.state}</span>
                    </td>
                    <td className={step.state === "same" ? "" : "removed"}>
                      <Half session_id={left} half={step.a ?? null} />
                    </td>
                    <td className={step.state === "same" ? "" : "added"}>
                      <Half session_id={right} half={step.b ?? null} />
                    </td>
                  </tr>
                ))}
            </tbody>
          </table>
          {answer.value.same && <Empty title="No difference">The two took the same steps with the same results.</Empty>}
        </div>
      )}
    </div>
  );
}

function Half({ session_id, half }: { readonly session_id: string; readonly half: Half | null }) {
  if (!half) return <span className="soft">not taken</span>;
  return (
    <>
      <pre className="mono">{visible(half.result)}</pre>
      <Link href={`/sessions/${session_id}?event=${half.seq}`}>#{half.seq}</Link>
    </>
  );
}
