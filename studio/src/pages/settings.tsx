import { useState } from "react";
import { apiKey } from "../api/client.ts";
import type { Whoami } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { Json } from "../ui/json.tsx";
import { Meter } from "../ui/meter.tsx";
import { Trouble } from "../ui/notes.tsx";
import { count, usd } from "../ui/numbers.ts";
import { applyScheme, readScheme, type Scheme } from "../ui/scheme.ts";

const schemes: readonly Scheme[] = ["system", "light", "dark"];

interface Limits {
  readonly token_limit: number | null;
  readonly usd_limit: number | null;
}

interface Budgets {
  readonly workspace: Limits & {
    readonly period: string;
    readonly sessions: number;
    readonly spent: { readonly tokens: number; readonly usd: number };
  };
  readonly session: Limits;
  readonly order: Limits & { readonly turn_limit: number; readonly timeout_seconds: number };
}

export function SettingsPage() {
  const [scheme, setScheme] = useState(readScheme());
  const [key, setKey] = useState("");
  const { answer: who, again } = useGet<Whoami>("/whoami");
  const { answer: budgets } = useGet<Budgets>("/budgets");
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
        {budgets.state === "loading" && <p className="body faint">Adding up …</p>}
        {budgets.state === "failed" && <Trouble problem={budgets.problem} />}
        {budgets.state === "there" && <BudgetTable budgets={budgets.value} />}
      </section>
      <section className="panel">
        <div className="title">
          <h2>Configuration in force</h2>
          <span className="soft">secrets are never sent here</span>
        </div>
        <div className="body">
          {config.state === "failed" && <Trouble problem={config.problem} />}
          {config.state === "there" && (
            <details>
              <summary>as JSON; in a terminal: writ config show</summary>
              <Json value={config.value} />
            </details>
          )}
        </div>
      </section>
    </div>
  );
}

/** What may be spent, by whom, and what was. */
function BudgetTable({ budgets: { workspace, session, order } }: { readonly budgets: Budgets }) {
  const { spent } = workspace;
  const rows = [
    {
      what: `the workspace, ${workspace.period === "ever" ? "in all" : `per ${workspace.period}`}`,
      ...workspace,
      spent,
    },
    { what: "a session", ...session, spent: null },
    { what: `an order, at most ${order.turn_limit} turns and ${order.timeout_seconds} s`, ...order, spent: null },
  ];
  return (
    <table className="table">
      <thead>
        <tr>
          <th>who</th>
          <th className="number">tokens</th>
          <th className="number">dollars</th>
          <th>spent</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.what}>
            <td>{row.what}</td>
            <td className="number">{row.token_limit === null ? "no limit" : count(row.token_limit)}</td>
            <td className="number">{row.usd_limit === null ? "no limit" : usd(row.usd_limit)}</td>
            <td>
              {row.spent && (
                <span className="row">
                  {count(row.spent.tokens)} tokens, {usd(row.spent.usd)}
                  <Meter share={row.token_limit ? row.spent.tokens / row.token_limit : null} label="Tokens spent" />
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
