import { useState } from "react";
import { Link } from "wouter";
import { problemOf, send } from "../api/client.ts";
import type { StandingHalt } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { shortId } from "../ui/copy.tsx";
import { Failure } from "../ui/failure.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";
import "./halts.css";

/** On every page, while a halt stands: what is halted, by whom, when and why. Only a caller of that rank lifts it. */
export function HaltBar({ live }: { readonly live: number }) {
  const { answer, again } = useGet<{ halts: readonly StandingHalt[] }>(`/halts#${live}`);
  const [failure, setFailure] = useState<string | null>(null);
  const halts = answer.state === "there" ? answer.value.halts : [];
  if (halts.length === 0) return null;
  const lift = async ({ session_id }: StandingHalt) => {
    try {
      await send("DELETE", session_id === null ? "/halts" : `/sessions/${session_id}/halt`, undefined);
      setFailure(null);
      again();
    } catch (thrown) {
      setFailure(problemOf(thrown).message);
    }
  };
  return (
    <section className="halts" aria-label="Standing halts">
      {halts.map((halt) => (
        <HaltLine key={halt.session_id ?? "*"} halt={halt} onLift={() => void lift(halt)} />
      ))}
      <Failure message={failure} />
    </section>
  );
}

function HaltLine({ halt, onLift }: { readonly halt: StandingHalt; readonly onLift: () => void }) {
  const { session_id, by, reason, halted_at, may_lift } = halt;
  return (
    <div className={`halt${session_id === null ? " all" : ""}`}>
      <State name="halted" label={session_id === null ? "Everything is halted" : "A session is halted"} />
      {session_id !== null && <Link href={`/sessions/${session_id}`}>{shortId(session_id)}</Link>}
      <span className="why grow">
        <q>{visible(reason)}</q>{" "}
        <span className="soft">
          {visible(by)}, <Ago ts={halted_at} />
        </span>
      </span>
      {may_lift ? (
        <button type="button" className="button" onClick={onLift}>
          Lift the halt
        </button>
      ) : (
        <span className="soft">Only {visible(by)}, or who may do as much, lifts it.</span>
      )}
    </div>
  );
}
