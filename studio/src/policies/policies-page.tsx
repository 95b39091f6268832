import { useLocation, useSearch } from "wouter";
import { useGet } from "../api/use-get.ts";
import { Loading, Trouble } from "../ui/notes.tsx";
import { Backtest } from "./backtest.tsx";
import { HookTable } from "./hook-table.tsx";
import { addressOf, type Policies, readQuestion } from "./policies.ts";
import { PolicyTable } from "./policy-table.tsx";
import { Shadows } from "./shadows.tsx";

/** The rules in force, what another one would have decided over the past, and what watching ones said. */
export function PoliciesPage() {
  const { answer, again } = useGet<Policies>("/policies");
  const [, go] = useLocation();
  const question = readQuestion(useSearch());
  if (answer.state === "loading")
    return (
      <div className="page">
        <Loading what="policies" />
      </div>
    );
  if (answer.state === "failed")
    return (
      <div className="page">
        <Trouble problem={answer.problem} retry={again} />
      </div>
    );
  const { policies, hooks } = answer.value;
  const choose = (rule: string) => go(addressOf({ rule, days: question?.days ?? null }));
  return (
    <div className="page">
      <header>
        <h1>Policies</h1>
      </header>
      <PolicyTable policies={policies} onBacktest={choose} />
      <Backtest rules={answer.value} question={question} onAsk={(asked) => go(addressOf(asked))} />
      <Shadows />
      <HookTable hooks={hooks} onBacktest={choose} />
    </div>
  );
}
