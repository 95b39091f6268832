import { type ReactNode, useId, useState } from "react";
import { useWhyNot } from "../api/rights.ts";
import { visible } from "./visible.ts";

/**
 * A button that needs a right. A caller without it still sees the button with the reason: on hover, for screen readers, and
 * beside it when pressed, for touch screens.
 */
export function Act(props: {
  readonly right: string;
  readonly onAct: () => void;
  readonly tone?: "primary" | "danger";
  readonly about?: string;
  readonly children: ReactNode;
}) {
  const whyNot = useWhyNot(props.right);
  const [isAsked, setAsked] = useState(false);
  const reason = useId();
  const className = `button ${props.tone ?? ""}`;
  if (whyNot === null)
    return (
      <button type="button" className={className} title={props.about} onClick={props.onAct}>
        {props.children}
      </button>
    );
  return (
    <>
      <button
        type="button"
        className={className}
        aria-disabled="true"
        aria-describedby={reason}
        title={visible(whyNot)}
        onClick={() => setAsked(true)}
      >
        {props.children}
      </button>
      <span id={reason} className={isAsked ? "soft" : "unseen"} role="status">
        {visible(whyNot)}
      </span>
    </>
  );
}
