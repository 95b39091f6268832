import { useState } from "react";
import { Dialog } from "../ui/dialog.tsx";

/** Asks why, before anything is halted: the reason stands on every page until the halt is lifted. */
export function HaltDialog(props: {
  readonly what: string;
  readonly about: string;
  readonly onHalt: (reason: string) => void;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState("");
  return (
    <Dialog label={props.what} onClose={props.onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (reason.trim() !== "") props.onHalt(reason.trim());
        }}
      >
        <h2>{props.what}</h2>
        <p className="soft">{props.about}</p>
        <label className="stack">
          Why
          <input
            className="field"
            // biome-ignore lint/a11y/noAutofocus: the dialog asks this one question
            autoFocus
            required
            maxLength={500}
            value={reason}
            placeholder="it writes where it should not"
            onChange={({ target }) => setReason(target.value)}
          />
        </label>
        <span className="row">
          <button type="submit" className="button danger">
            {props.what}
          </button>
          <button type="button" className="button" onClick={props.onClose}>
            Cancel
          </button>
        </span>
      </form>
    </Dialog>
  );
}
