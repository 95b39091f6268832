import { useSearchParams } from "wouter";
import { useGet } from "../api/use-get.ts";
import { ReadingPage } from "../ui/reading.tsx";
import { Backtest } from "./backtest.tsx";
import { HookTable } from "./hook-table.tsx";
import { type Policies, type Question, readQuestion, withQuestion } from "./policies.ts";
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
  const [search, setSearch] = useSearchParams();
  const question = readQuestion(search);
  const ask = (asked: Question) => setSearch((before) => withQuestion(before, asked));
  const choose = (rule: string) => ask({ rule, days: question?.days ?? null });
  return (
    <div className="page">
      <header>
        <h1>Policies</h1>
      </header>
      <PolicyTable policies={rules.policies} onBacktest={choose} />
      <Backtest rules={rules} question={question} onAsk={ask} />
      <Shadows />
      <HookTable hooks={rules.hooks} onBacktest={choose} />
    </div>
  );
}
