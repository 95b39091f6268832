import { useState } from "react";
import { problemOf } from "../api/client.ts";
import { useWhyNot } from "../api/rights.ts";
import { visible } from "./visible.ts";

/** One input line and a button that starts something. An error is shown beside it, and the typed text stays. */
export function StartForm(props: {
  /** The right that the caller needs. */
  readonly right: string;
  readonly label: string;
  readonly placeholder: string;
  readonly button: string;
  readonly onStart: (text: string) => Promise<void>;
}) {
  const [text, setText] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    try {
      await props.onStart(text);
    } catch (thrown) {
      setFailure(problemOf(thrown).message);
      setBusy(false);
    }
  };
  const whyNot = useWhyNot(props.right);
  if (whyNot !== null) return <span className="soft">{visible(whyNot)}</span>;
  return (
    <form
      className="row start"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() && !busy) void start();
      }}
    >
      {failure && (
        <span role="alert" className="state failed">
          {visible(failure)}
        </span>
      )}
      <input
        className="field"
        size={40}
        placeholder={props.placeholder}
        aria-label={props.label}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="button primary" disabled={busy}>
        {busy ? "Starting …" : props.button}
      </button>
    </form>
  );
}
