import { useLocation, useSearch } from "wouter";
import { useGet } from "../api/use-get.ts";
import { ReadingPage } from "../ui/reading.tsx";
import { Backtest } from "./backtest.tsx";
import { HookTable } from "./hook-table.tsx";
import { addressOf, type Policies, readQuestion } from "./policies.ts";
import { PolicyTable } from "./policy-table.tsx";
import { Shadows } from "./shadows.tsx";

/** The rules in force, what another one would have decided over the past, and what watching ones said. */
export function PoliciesPage() {
  return (
    <ReadingPage what="policies" read={useGet<Policies>("/policies")}>
      {(rules) => <Rules rules={rules} />}
    </ReadingPage>
  );
}

function Rules({ rules }: { readonly rules: Policies }) {
  const [, go] = useLocation();
  const question = readQuestion(useSearch());
  const choose = (rule: string) => go(addressOf({ rule, days: question?.days ?? null }));
  return (
    <div className="page">
      <header>
        <h1>Policies</h1>
      </header>
      <PolicyTable policies={rules.policies} onBacktest={choose} />
      <Backtest rules={rules} question={question} onAsk={(asked) => go(addressOf(asked))} />
      <Shadows />
      <HookTable hooks={rules.hooks} onBacktest={choose} />
    </div>
  );
}
