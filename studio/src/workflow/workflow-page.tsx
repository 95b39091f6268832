import { useState } from "react";
import { Link } from "wouter";
import type { PolicyV1 } from "../../../src/core/contracts/generated/types.ts";
import type { SessionInfo } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { stateOfSession } from "../session/state-of-session.ts";
import { Act } from "../ui/act.tsx";
import { Columns } from "../ui/columns.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
import { Graph } from "../ui/graph.tsx";
import { Json } from "../ui/json.tsx";
import { More } from "../ui/more.tsx";
import { Panel } from "../ui/panel.tsx";
import { ReadingPage } from "../ui/reading.tsx";
import { State, type StateName } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { useParam } from "../ui/use-param.ts";
import { visible } from "../ui/visible.ts";
import { type Cycle, personasOf, waysOf } from "./cycle.ts";
import { Decisions } from "./decisions.tsx";
import { RunDialog } from "./run-dialog.tsx";
import { type Path, usePath } from "./use-path.ts";

/** The cycle as a graph; with a session, where it went, which rule decided, and why. */
export function WorkflowPage({ cycle_id, live }: { readonly cycle_id: string; readonly live: number }) {
  const [session_id] = useParam("session");
  const path = usePath(session_id, live);
  // With a session its own law counts, not what the files say by now.
  const law = path.law ? `?law=${path.law}` : "";
  const read = useGet<Cycle>(session_id && !path.isRead ? null : `/workflows/${cycle_id}${law}`);
  return (
    <ReadingPage what="the cycle" read={read}>
      {(cycle) => <WholeCycle cycle={cycle} path={path} session_id={session_id} />}
    </ReadingPage>
  );
}

function WholeCycle(props: { readonly cycle: Cycle; readonly path: Path; readonly session_id: string | null }) {
  const { cycle, path, session_id } = props;
  const { cycle_id } = cycle;
  const [chosen, setChosen] = useParam("phase");
  const [running, setRunning] = useState(false);
  const { title, description } = cycle.definition;
  const phase = cycle.phases.find((one) => one.id === chosen);
  return (
    <div className="page">
      <header>
        <h1>{visible(title ?? cycle_id)}</h1>
        <span className="soft grow clip" title={description}>
          {visible(description ?? "")}
        </span>
        <Act right="order.submit" tone="primary" onAct={() => setRunning(true)}>
          Run
        </Act>
      </header>
      {running && <RunDialog cycle={cycle} onClose={() => setRunning(false)} />}
      <div className="panel">
        <Graph
          label={`Phases of ${cycle.cycle_id}`}
          direction="right"
          selected={chosen}
          onSelect={setChosen}
          nodes={cycle.phases.map((one) => ({
            id: one.id,
            marked: session_id ? path.visited.includes(one.id) : one.id === cycle.entry,
            content: (
              <>
                <strong className="clip">{visible(one.title ?? one.id)}</strong>
                <span className="row">
                  {session_id && <State {...stateOfPhase(one.id, path)} />}
                  <span className="soft clip" title={personasOf(one).join(", ")}>
                    {personasOf(one).join(", ") || "no persona"}
                  </span>
                </span>
              </>
            ),
          }))}
          edges={waysOf(cycle).map((way) => ({ ...way, marked: path.went(way.from, way.to) }))}
        />
      </div>
      {phase ? (
        <Panel title={visible(phase.title ?? phase.id)} about="the chosen phase">
          <div className="body stack">
            <Facts>
              <Fact name="goes on when">
                <code>{visible(phase.advance_signal)}</code>
              </Fact>
              <Fact name="asks">{personasOf(phase).join(", ") || "nobody"}</Fact>
              <Fact name="policies">{(phase.policies ?? cycle.definition.policies ?? []).join(", ") || "none"}</Fact>
            </Facts>
            <More id="definition" summary="the whole definition">
              {() => <Json value={phase} />}
            </More>
          </div>
        </Panel>
      ) : (
        <p className="soft">Choose a phase in the graph to see its signal, its personas and its policies.</p>
      )}
      {!session_id && <Recent cycle_id={cycle_id} />}
      {session_id && <Decisions session_id={session_id} path={path} cycle={cycle} />}
      {cycle.policies.map((policy) => (
        <Rules key={`${policy.id} ${policy.shadow ?? false}`} policy={policy} />
      ))}
    </div>
  );
}

/** One policy of the cycle: its rules in the order in which they are tried. */
function Rules({ policy }: { readonly policy: PolicyV1 }) {
  return (
    <Panel title={visible(policy.title ?? policy.id)} about={`${policy.kind}${policy.shadow ? ", only watches" : ""}`}>
      <table className="table rules">
        <Columns names={["when", "then", "because"]} />
        <tbody>
          {policy.rules.map((rule) => (
            <tr key={`${rule.when} ${rule.then}`}>
              <td className="mono">{visible(rule.when)}</td>
              <td>{visible(rule.then)}</td>
              <td className="soft">{visible(rule.reason ?? "")}</td>
            </tr>
          ))}
          <tr>
            <td className="soft">otherwise</td>
            <td>{policy.default ?? "deny"}</td>
            <td />
          </tr>
        </tbody>
      </table>
    </Panel>
  );
}

function stateOfPhase(phase: string, path: Path): { readonly name: StateName; readonly label: string } {
  if (!path.visited.includes(phase)) return { name: "idle", label: "not reached" };
  return path.visited.at(-1) === phase && !path.ended
    ? { name: "running", label: "here" }
    : { name: "done", label: "done" };
}

/** Sessions that went through the cycle: each leads to the same page with its way marked. */
function Recent({ cycle_id }: { readonly cycle_id: string }) {
  const { answer } = useGet<{ sessions: readonly SessionInfo[] }>(`/sessions?cycle=${cycle_id}&limit=10`);
  if (answer.state !== "there") return null;
  return (
    <Panel title="Sessions of this cycle">
      {answer.value.sessions.length === 0 && (
        <p className="body soft">
          None yet. Run it above, or <code>writ workflow run {cycle_id}</code>
        </p>
      )}
      {answer.value.sessions.map((info) => (
        <Link key={info.session_id} className="pick" href={`/workflows/${cycle_id}?session=${info.session_id}`}>
          <span className="row">
            <State {...stateOfSession(info)} />
            <span className="clip grow">{visible(info.asked ?? info.session_id)}</span>
            <span className="soft">
              <Ago ts={info.started_at} />
            </span>
          </span>
        </Link>
      ))}
    </Panel>
  );
}
