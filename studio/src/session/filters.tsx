import { type RefObject, useEffect, useState } from "react";
import type { Problem } from "../api/client.ts";
import { Chips } from "../ui/chips.tsx";
import { count } from "../ui/numbers.ts";
import { visible } from "../ui/visible.ts";
import { isExpression, type View } from "./filter-query.ts";
import type { FoundEvents } from "./use-found.ts";

const views: readonly View[] = ["story", "all", "model", "tools", "gates", "writes", "failed"];

export function Filters(props: {
  readonly view: View;
  readonly onView: (view: View) => void;
  readonly typed: string;
  readonly onFind: (typed: string) => void;
  readonly found: FoundEvents | null;
  /** Which of the found is selected, from 0; -1 where none is. */
  readonly place: number;
  readonly onStep: (by: number) => void;
  readonly problem: Problem | null;
  readonly total: number;
  readonly input: RefObject<HTMLInputElement | null>;
}) {
  const [text, setText] = useState(props.typed);
  useEffect(() => setText(props.typed), [props.typed]);
  const { found } = props;
  const isSought = props.typed !== "" && found !== null && found.events.length > 0;
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
        aria-label="Find events by words or expression"
        placeholder={'words, or gate.decision == "deny"'}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        spellCheck={false}
      />
      {isSought && (
        <span className="steps">
          <button
            type="button"
            className="button quiet"
            aria-label="Previous found"
            disabled={props.place <= 0}
            onClick={() => props.onStep(-1)}
          >
            ‹
          </button>
          <span className="number">{props.place < 0 ? "–" : count(props.place + 1)}</span>
          <button
            type="button"
            className="button quiet"
            aria-label="Next found"
            disabled={found.complete && props.place === found.events.length - 1}
            onClick={() => props.onStep(1)}
          >
            ›
          </button>
        </span>
      )}
      <span className="soft number" role="status">
        {howMany(found, props.total)}
      </span>
      {props.typed !== "" && (
        <button
          type="button"
          className="button quiet"
          aria-label="Forget the search"
          title="Forget the search"
          onClick={() => props.onFind("")}
        >
          ×
        </button>
      )}
      {props.problem && (
        <p className="note bad" role="alert">
          {visible(props.problem.detail || props.problem.title)}
          <span className="soft">
            {" "}
            · {props.problem.hint}
            {props.typed !== "" && isExpression(props.typed) && "; in quotes it is looked for as it stands"}
          </span>
        </p>
      )}
    </form>
  );
}

/** Nothing is claimed before something was looked through. */
function howMany(found: FoundEvents | null, total: number): string {
  if (!found) return `${count(total)} events`;
  if (found.events.length === 0 && !found.complete) return `… of ${count(total)}`;
  return `${count(found.events.length)}${found.complete ? "" : "+"} of ${count(total)}`;
}
