import { useState } from "react";
import { apiKey } from "../api/client.ts";
import type { Whoami } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { Chips } from "../ui/chips.tsx";
import { Columns } from "../ui/columns.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
import { Json } from "../ui/json.tsx";
import { Meter } from "../ui/meter.tsx";
import { More } from "../ui/more.tsx";
import { Trouble } from "../ui/notes.tsx";
import { count, usd } from "../ui/numbers.ts";
import { Panel } from "../ui/panel.tsx";
import { Reading } from "../ui/reading.tsx";
import { applyScheme, readScheme, type Scheme } from "../ui/scheme.ts";
import { visible } from "../ui/visible.ts";

const schemes: readonly Scheme[] = ["system", "light", "dark"];
const knownBy: Readonly<Record<string, string>> = { local: "being on this machine", key: "an API key" };

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
  const [kept, setKept] = useState(apiKey.read() !== null);
  const keep = (next: string | null) => {
    if (next === null) apiKey.forget();
    else apiKey.keep(next);
    setKept(next !== null);
    setKey("");
    again();
  };
  const { answer: who, again } = useGet<Whoami>("/whoami");
  const budgets = useGet<Budgets>("/budgets");
  const config = useGet<unknown>("/config");
  return (
    <div className="page">
      <header>
        <h1>Settings</h1>
      </header>
      <Panel title="You">
        <div className="body stack">
          {who.state === "failed" && <Trouble problem={who.problem} retry={again} />}
          {who.state === "there" && (
            <Facts>
              <Fact name="caller">{who.value.caller}</Fact>
              <Fact name="roles">{who.value.roles.join(", ") || "none"}</Fact>
              <Fact name="known by">{knownBy[who.value.authenticated_by] ?? who.value.authenticated_by}</Fact>
              <Fact name="workspace">
                {visible(who.value.workspace.name)} · Writ {who.value.version}
              </Fact>
            </Facts>
          )}
          <form
            className="row"
            onSubmit={(event) => {
              event.preventDefault();
              keep(key);
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
            <button type="submit" className="button" disabled={key === ""}>
              Use this key
            </button>
            {kept && (
              <button type="button" className="button danger" onClick={() => keep(null)}>
                Forget the key
              </button>
            )}
            <span className="soft">
              {kept ? "a key is kept for this tab" : "on one machine none is needed; kept for this tab only"}
            </span>
          </form>
        </div>
      </Panel>
      <Panel title="Appearance">
        <div className="body">
          <Chips
            label="Colours"
            names={schemes}
            chosen={scheme}
            onChoose={(name) => {
              applyScheme(name);
              setScheme(name);
            }}
          />
        </div>
      </Panel>
      <Panel title="Budget" about="what may be spent, and what was">
        <Reading what="the budget" read={budgets}>
          {(value) => <BudgetTable budgets={value} />}
        </Reading>
      </Panel>
      <Panel title="Configuration in force" about="secrets are never sent here">
        <div className="body">
          <Reading what="the configuration" read={config}>
            {(value) => (
              <More
                summary={
                  <>
                    as JSON; in a terminal: <code>writ config show</code>
                  </>
                }
              >
                {() => <Json value={value} />}
              </More>
            )}
          </Reading>
        </div>
      </Panel>
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
      <Columns names={["who", "#tokens", "#dollars", "spent"]} />
      <tbody>
        {rows.map((row) => (
          <tr key={row.what}>
            <td>{row.what}</td>
            <td className="number">{row.token_limit === null ? <NoLimit /> : count(row.token_limit)}</td>
            <td className="number">{row.usd_limit === null ? <NoLimit /> : usd(row.usd_limit)}</td>
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

function NoLimit() {
  return <span className="faint">no limit</span>;
}
