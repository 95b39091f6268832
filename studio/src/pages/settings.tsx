import { useState } from "react";
import { apiKey } from "../api/client.ts";
import type { Whoami } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { Json } from "../ui/json.tsx";
import { Trouble } from "../ui/notes.tsx";
import { applyScheme, readScheme, type Scheme } from "../ui/scheme.ts";

const schemes: readonly Scheme[] = ["system", "light", "dark"];

export function SettingsPage() {
  const [scheme, setScheme] = useState(readScheme());
  const [key, setKey] = useState("");
  const { answer: who, again } = useGet<Whoami>("/whoami");
  const { answer: budgets } = useGet<unknown>("/budgets");
  const { answer: config } = useGet<unknown>("/config");
  return (
    <div className="page">
      <header>
        <h1>Settings</h1>
      </header>
      <section className="panel">
        <div className="title">
          <h2>You</h2>
        </div>
        <div className="body stack">
          {who.state === "failed" && <Trouble problem={who.problem} retry={again} />}
          {who.state === "there" && (
            <dl className="facts">
              <dt>caller</dt>
              <dd>{who.value.caller}</dd>
              <dt>roles</dt>
              <dd>{who.value.roles.join(", ") || "none"}</dd>
              <dt>known by</dt>
              <dd>{who.value.authenticated_by}</dd>
              <dt>workspace</dt>
              <dd>
                {who.value.workspace.name} · Writ {who.value.version}
              </dd>
            </dl>
          )}
          <form
            className="row"
            onSubmit={(event) => {
              event.preventDefault();
              if (key) apiKey.keep(key);
              else apiKey.forget();
              setKey("");
              again();
            }}
          >
            <input
              className="field"
              type="password"
              autoComplete="off"
              size={40}
              placeholder="API key, for a server of a team"
              aria-label="API key"
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
            <button type="submit" className="button">
              {key ? "Use this key" : "Forget the key"}
            </button>
            <span className="soft">kept for this tab only</span>
          </form>
        </div>
      </section>
      <section className="panel">
        <div className="title">
          <h2>Appearance</h2>
        </div>
        <div className="body row">
          {schemes.map((name) => (
            <button
              key={name}
              type="button"
              className="chip"
              aria-pressed={name === scheme}
              onClick={() => {
                applyScheme(name);
                setScheme(name);
              }}
            >
              {name}
            </button>
          ))}
        </div>
      </section>
      <section className="panel">
        <div className="title">
          <h2>Budget</h2>
        </div>
        <div className="body">{budgets.state === "there" && <Json value={budgets.value} />}</div>
      </section>
      <section className="panel">
        <div className="title">
          <h2>Configuration in force</h2>
          <span className="soft">secrets are never sent here</span>
        </div>
        <div className="body">{config.state === "there" && <Json value={config.value} />}</div>
      </section>
    </div>
  );
}
