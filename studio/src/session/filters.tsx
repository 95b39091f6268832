import { type RefObject, useEffect, useState } from "react";
import type { Problem } from "../api/client.ts";
import { Chips } from "../ui/chips.tsx";
import { count } from "../ui/numbers.ts";
import type { FoundEvents } from "./use-found.ts";

export type View = "story" | "all" | "model" | "tools" | "gates" | "writes" | "failed";

const views: readonly View[] = ["story", "all", "model", "tools", "gates", "writes", "failed"];

/** What each view asks of an event, in the same language in which people search. */
const conditions: Readonly<Record<Exclude<View, "all">, string>> = {
  // What most readers skip: bookkeeping, and the halves of a call that the other half already tells.
  story: `!(type in ["llm.request", "agent.transition", "worker.step", "skill.complete", "lead.directive", "plan.made", "worker.report", "workflow.entered", "acceptance.checked"]) && !(type == "budget.updated" && payload.action != "refuse") && !(type == "tool.result" && payload.status == "ok") && !(type == "hook.fired" && payload.handler == "none")`,
  model: `type.startsWith("llm.")`,
  tools: `type.startsWith("tool.") || type.startsWith("effect.")`,
  gates: `type == "hook.fired" || type == "schema.violation" || type == "tool.refused" || type.startsWith("workflow.p")`,
  writes: `type.startsWith("turn.")`,
  failed: `(type == "hook.fired" && gate.decision == "deny" && gate.point != "Stop") || type in ["wo.failed", "wo.rejected", "tool.refused", "turn.failed", "turn.aborted", "turn.quarantined", "schema.violation", "llm.refused", "workflow.aborted"] || (type in ["llm.response", "tool.result"] && payload.status != "ok") || (type == "review.result" && payload.verdict != "pass")`,
};

export function expressionOf(view: View, find: string): string | null {
  const parts = [view === "all" ? "" : (conditions[view] ?? ""), find.trim()].filter((part) => part !== "");
  return parts.length === 0 ? null : parts.map((part) => (parts.length > 1 ? `(${part})` : part)).join(" && ");
}

export function Filters(props: {
  readonly view: View;
  readonly onView: (view: View) => void;
  readonly expression: string;
  readonly onFind: (expression: string) => void;
  readonly found: FoundEvents | null;
  readonly problem: Problem | null;
  readonly total: number;
  readonly input: RefObject<HTMLInputElement | null>;
}) {
  const [text, setText] = useState(props.expression);
  useEffect(() => setText(props.expression), [props.expression]);
  const { found } = props;
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        props.onFind(text);
      }}
    >
      <Chips label="Which events" names={views} chosen={props.view} onChoose={props.onView} />
      <input
        ref={props.input}
        className="field mono grow"
        aria-label="Find events by expression"
        placeholder={'gate.decision == "deny"'}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        spellCheck={false}
      />
      <span className="soft number" role="status">
        {found
          ? `${count(found.events.length)}${found.complete ? "" : "+"} of ${count(props.total)}`
          : `${count(props.total)} events`}
      </span>
      {props.problem && (
        <p className="note bad" role="alert">
          {props.problem.detail || props.problem.title}
          <span className="soft"> · {props.problem.hint}</span>
        </p>
      )}
    </form>
  );
}
