import type { Event } from "../api/types.ts";
import { State, type StateName } from "../ui/state.tsx";
import { duration } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";
import { denialOf } from "./denial.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

const tone: Record<string, StateName> = { allow: "done", transform: "running", deny: "denied", ask: "waiting" };

/** Which rule decided, with which inputs, from which source. */
export function Why({ event, loaded }: { readonly event: Event; readonly loaded: readonly Event[] }) {
  if (event.type === "hook.fired") return <HookDecision event={event} />;
  if (
    event.type === "tool.invoke" ||
    event.type === "tool.result" ||
    event.type === "tool.output" ||
    event.type === "tool.refused"
  )
    return <ToolRights event={event} loaded={loaded} />;
  if (event.type === "attention.assembled") return <Context event={event} />;
  const gate = loaded.findLast((other) => other.seq < event.seq && other.type === "hook.fired");
  return (
    <>
      <p className="soft">No rule decides about {event.type} itself: it records a fact.</p>
      {gate?.type === "hook.fired" && (
        <p className="soft">
          The gate before it: {gate.payload.point}, #{gate.seq}.
        </p>
      )}
    </>
  );
}

function HookDecision({ event }: { readonly event: Of<"hook.fired"> }) {
  const { payload } = event;
  return (
    <>
      <p>
        <State name={tone[payload.decision] ?? "idle"} label={payload.decision} /> at <strong>{payload.point}</strong>
        {payload.subject && <> about {visible(payload.subject)}</>}
      </p>
      <p>{visible(payload.reason)}</p>
      {payload.point === "Stop" && (
        <p className="soft">Stop asks whether the loop may go on. “deny” is its normal end.</p>
      )}
      <table className="table">
        <thead>
          <tr>
            <th>hook</th>
            <th>says</th>
            <th>because</th>
            <th className="number">took</th>
          </tr>
        </thead>
        <tbody>
          {payload.handlers.map((handler) => (
            <tr key={handler.id}>
              <td>{visible(handler.id)}</td>
              <td>
                <State name={tone[handler.decision ?? ""] ?? "idle"} label={handler.decision} />
              </td>
              <td className="soft">{visible(handler.reason ?? "")}</td>
              <td className="number">{duration(handler.duration_ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {payload.handlers.length === 0 && (
        <p className="soft">No hook is registered here: the point allows and says so.</p>
      )}
    </>
  );
}

function ToolRights({ event, loaded }: { readonly event: Event; readonly loaded: readonly Event[] }) {
  const name = (event.payload as { name?: string }).name ?? "";
  const denial = denialOf(event, loaded);
  const order = loaded.find((other): other is Of<"wo.started"> => other.type === "wo.started");
  const skill = loaded.find((other): other is Of<"skill.invoke"> => other.type === "skill.invoke");
  const gate = loaded.findLast(
    (other): other is Of<"hook.fired"> =>
      other.type === "hook.fired" && other.payload.point === "PreToolUse" && other.seq <= event.seq,
  );
  const rights = [
    skill && { who: `skill ${skill.payload.skill}`, grants: skill.payload.allowed_tools.join(", ") || "nothing" },
    order && {
      who: `work order ${order.payload.work_order_id}`,
      grants: order.payload.tool_permissions?.join(", ") || "nothing",
    },
    order && {
      who: `framework ${order.payload.framework_id}`,
      grants: `paths ${order.payload.path_authorizations?.join(", ") || "none"}`,
    },
    gate && { who: `hook ${gate.payload.handler}`, grants: `${gate.payload.decision}: ${gate.payload.reason}` },
  ].filter((right) => right !== undefined);
  return (
    <>
      {denial && (
        <>
          <p>
            <State name="denied" label="denied" /> <strong>{visible(name)}</strong> was stopped by{" "}
            <code>{denial.code}</code>
          </p>
          <p>{visible(denial.reason)}</p>
        </>
      )}
      <p>
        {denial ? (
          "What it had, and what was not enough:"
        ) : (
          <>
            <strong>{visible(name)}</strong> was allowed by the intersection of:
          </>
        )}
      </p>
      <dl className="facts">
        {rights.map((right) => (
          <div key={right.who} style={{ display: "contents" }}>
            <dt>{visible(right.who)}</dt>
            <dd>{visible(right.grants)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Context({ event }: { readonly event: Of<"attention.assembled"> }) {
  const { fragments, outcome, template_id, tokens, limits } = event.payload;
  return (
    <>
      <p>
        Template {template_id ?? "none"}: {outcome}, {tokens} of {limits?.max_tokens ?? "any number of"} tokens.
      </p>
      {fragments.map((fragment) => (
        <div className="fragment" key={`${fragment.hash}${fragment.origin}`}>
          <strong className="clip">{visible(fragment.origin)}</strong>
          <span className="soft">
            <State name={fragment.trust === "trusted" ? "done" : "doubt"} label={fragment.trust} /> · {fragment.stage} ·{" "}
            {fragment.tokens} tokens
          </span>
          <code className="faint">{fragment.hash}</code>
        </div>
      ))}
      {fragments.length === 0 && <p className="soft">Nothing was added to the prompt.</p>}
    </>
  );
}
