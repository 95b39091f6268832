import { Columns } from "../ui/columns.tsx";
import { Meter } from "../ui/meter.tsx";
import { count, usd } from "../ui/numbers.ts";

interface Limits {
  readonly token_limit: number | null;
  readonly usd_limit: number | null;
}

/** What `GET /budgets` answers. */
export interface Budgets {
  readonly workspace: Limits & {
    readonly period: string;
    readonly sessions: number;
    readonly spent: { readonly tokens: number; readonly usd: number };
  };
  readonly session: Limits;
  readonly order: Limits & { readonly turn_limit: number; readonly timeout_seconds: number };
}

/** What may be spent, by whom, and what was. */
export function BudgetTable({ budgets: { workspace, session, order } }: { readonly budgets: Budgets }) {
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
