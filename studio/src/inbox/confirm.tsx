import { useEffect, useRef, useState } from "react";
import type { Approval } from "../api/types.ts";
import { useKeys } from "../ui/use-keys.ts";
import { visible } from "../ui/visible.ts";
import { type AnswerChoice, lacks, willDo } from "./answers.ts";

/** Says what the answer does, and waits for a second press, which is meant for this question and no other. */
export function Confirm({
  approval,
  answer,
  reason,
  onPress,
  onConfirm,
  onCancel,
}: {
  readonly approval: Approval;
  readonly answer: AnswerChoice;
  readonly reason: string;
  /** The button of a yes that is held goes down. */
  readonly onPress: () => void;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}) {
  const button = useRef<HTMLButtonElement>(null);
  const seconds = answer.yes ? (approval.demands?.hold_seconds ?? 0) : 0;
  const missing = lacks(approval, answer, reason);
  const [isHeld, setHeld] = useState(false);
  useEffect(() => button.current?.focus({ preventScroll: true }), []);
  useKeys({ escape: onCancel });
  useEffect(() => {
    if (!isHeld) return;
    // A little longer than the server asks for: its time begins when the request arrives.
    const timer = setTimeout(onConfirm, seconds * 1000 + 300);
    return () => clearTimeout(timer);
  }, [isHeld, seconds, onConfirm]);
  const press = () => {
    if (missing !== null || isHeld) return;
    setHeld(true);
    onPress();
  };
  const hold =
    seconds === 0
      ? { onClick: () => missing === null && onConfirm() }
      : {
          onPointerDown: press,
          onPointerUp: () => setHeld(false),
          onPointerLeave: () => setHeld(false),
          onKeyDown: ({ key, repeat }: { key: string; repeat: boolean }) => {
            if ((key === "Enter" || key === " ") && !repeat) press();
          },
          onKeyUp: () => setHeld(false),
          onBlur: () => setHeld(false),
        };
  const people = answer.yes ? (approval.demands?.people ?? 1) : 1;
  return (
    <div className="confirm" role="group" aria-label="Confirm">
      <p>
        <strong>{answer.label}:</strong> {visible(willDo(approval, answer))}
      </p>
      {people > 1 && approval.choice === null && <p className="soft">A second person has to say it too.</p>}
      <div className="row">
        <button
          ref={button}
          type="button"
          className={`button ${answer.yes ? "primary" : "danger"} ${isHeld ? "held" : ""}`}
          style={{ "--hold": `${seconds}s` } as React.CSSProperties}
          aria-disabled={missing !== null}
          {...hold}
        >
          {seconds > 0 ? `hold to ${answer.label}` : `yes, ${answer.label}`} <kbd>enter</kbd>
        </button>
        <button type="button" className="button" onClick={onCancel}>
          not yet <kbd>esc</kbd>
        </button>
        {missing !== null && <span className="warn">{missing}</span>}
      </div>
    </div>
  );
}
