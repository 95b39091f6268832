import { useRef, useState } from "react";
import { useLocation } from "wouter";
import { problemOf, send } from "../api/client.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
import { Failure } from "../ui/failure.tsx";
import { visible } from "../ui/visible.ts";
import { type Cycle, personasOf } from "./cycle.ts";

const modes = ["interactive", "autofix", "report-only", "headless"];

/**
 * Asks what the cycle is to be run on, and says what it will do, before anything starts. What is started here is started once,
 * however often it is pressed.
 */
export function RunDialog({ cycle, onClose }: { readonly cycle: Cycle; readonly onClose: () => void }) {
  const [, go] = useLocation();
  const [prompt, setPrompt] = useState("");
  const [mode, setMode] = useState("");
  const [input, setInput] = useState("{}");
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const isStarting = useRef(false); // a second press may come before the page is drawn again
  const key = useRef(crypto.randomUUID());
  const start = async () => {
    const given = objectIn(input);
    if (!given) return setFailure('The input is one JSON object, such as {} or {"files": ["a.md"]}.');
    isStarting.current = true;
    setBusy(true);
    try {
      const said = { ...(prompt.trim() === "" ? {} : { prompt: prompt.trim() }), ...(mode === "" ? {} : { mode }) };
      const asked = { ...said, ...(Object.keys(given).length === 0 ? {} : { input: given }) };
      const path = `/workflows/${cycle.cycle_id}/runs`;
      const started = await send<{ session_id: string }>("POST", path, asked, key.current);
      go(`/sessions/${started.session_id}`);
    } catch (thrown) {
      setFailure(problemOf(thrown).message);
      isStarting.current = false;
      setBusy(false);
      key.current = crypto.randomUUID(); // what was refused is asked for anew
    }
  };
  const { policies = [] } = cycle.definition;
  return (
    <Dialog label={`Run ${cycle.cycle_id}`} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isStarting.current) void start();
        }}
      >
        <h2>Run {visible(cycle.definition.title ?? cycle.cycle_id)}</h2>
        <Facts>
          <Fact name="begins with">{visible(cycle.entry)}</Fact>
          <Fact name="phases">{cycle.phases.map(({ id }) => visible(id)).join(" → ")}</Fact>
          <Fact name="asks">
            {[...new Set(cycle.phases.flatMap(personasOf))].map(visible).join(", ") || "no persona"}
          </Fact>
          <Fact name="policies">{policies.map(visible).join(", ") || "those of its phases"}</Fact>
        </Facts>
        <label className="stack">
          What it is about
          <input
            className="field"
            value={prompt}
            placeholder="review the change of the kettle's timer"
            onChange={({ target }) => setPrompt(target.value)}
          />
        </label>
        <label className="stack">
          Mode
          <select className="field" value={mode} onChange={({ target }) => setMode(target.value)}>
            <option value="">as the cycle says</option>
            {modes.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label className="stack">
          What it is run on (JSON)
          <textarea
            className="field area"
            rows={5}
            spellCheck={false}
            value={input}
            onChange={({ target }) => setInput(target.value)}
          />
        </label>
        <Failure message={failure} />
        <span className="row">
          <button type="submit" className="button primary" disabled={busy}>
            {busy ? "Starting …" : "Start"}
          </button>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </span>
      </form>
    </Dialog>
  );
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined; // the form says what it takes
  }
}
