import { useState } from "react";
import type { Whoami } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { Chips } from "../ui/chips.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
import { Trouble } from "../ui/notes.tsx";
import { Panel } from "../ui/panel.tsx";
import { Reading } from "../ui/reading.tsx";
import { applyScheme, readScheme, type Scheme } from "../ui/scheme.ts";
import { visible } from "../ui/visible.ts";
import { type Budgets, BudgetTable } from "./budget-table.tsx";
import { ConfigTable, type ShownConfig } from "./config-table.tsx";
import { KeyForm } from "./key-form.tsx";

const schemes: readonly Scheme[] = ["system", "light", "dark"];
const knownBy: Readonly<Record<string, string>> = { local: "being on this machine", api_key: "an API key" };

/** Who I am here, how it looks, what may be spent and what was, and which law is in force. */
export function SettingsPage({ live }: { readonly live: number }) {
  const [scheme, setScheme] = useState(readScheme());
  const { answer: who, again } = useGet<Whoami>("/whoami");
  const budgets = useGet<Budgets>(`/budgets#${live}`);
  const config = useGet<ShownConfig>("/config");
  return (
    <div className="page">
      <header>
        <h1>Settings</h1>
      </header>
      <Panel title="You" label="You">
        <div className="body stack">
          {who.state === "failed" && <Trouble problem={who.problem} retry={again} />}
          {who.state === "there" && (
            <Facts>
              <Fact name="caller">{visible(who.value.caller)}</Fact>
              <Fact name="roles">{who.value.roles.map(visible).join(", ") || "none"}</Fact>
              <Fact name="known by">{knownBy[who.value.authenticated_by] ?? who.value.authenticated_by}</Fact>
              <Fact name="workspace">
                {visible(who.value.workspace.name)} · Writ {who.value.version}
              </Fact>
            </Facts>
          )}
          <KeyForm />
        </div>
      </Panel>
      <Panel title="Appearance">
        <div className="body row">
          <Chips
            label="Colours"
            names={schemes}
            chosen={scheme}
            onChoose={(name) => {
              applyScheme(name);
              setScheme(name);
            }}
          />
          <span className="soft">
            {scheme === "system" ? "as this machine is set" : "kept in this browser, whatever the machine is set to"}
          </span>
        </div>
      </Panel>
      <Panel title="Budget" about="what may be spent, and what was" label="Budget">
        <Reading what="the budget" read={budgets}>
          {(value) => <BudgetTable budgets={value} />}
        </Reading>
      </Panel>
      <Panel
        title="Configuration in force"
        about="secrets are never sent here"
        right={<code>writ config show</code>}
        label="Configuration"
      >
        <Reading what="the configuration" read={config}>
          {(value) => <ConfigTable shown={value} />}
        </Reading>
      </Panel>
    </div>
  );
}
