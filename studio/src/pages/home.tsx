import { useState } from "react";
import { Link, useLocation } from "wouter";
import { problemOf, send } from "../api/client.ts";
import type { Approval, SessionInfo } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { Empty, Loading, Trouble } from "../ui/notes.tsx";
import { count, usd } from "../ui/numbers.ts";
import { Ago } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";
import { SessionTable } from "./session-table.tsx";

interface Home {
  readonly running: number;
  readonly waiting: number;
  readonly failed_since_yesterday: number;
  readonly spent: {
    readonly tokens: number;
    readonly usd: number;
    readonly token_limit: number | null;
    readonly usd_limit: number | null;
  };
}

/** What runs, what waits for me, what failed, what it cost; nothing that does not lead somewhere. */
export function HomePage({ live }: { readonly live: number }) {
  const { answer: home, again } = useGet<Home>(`/home#${live}`);
  const { answer: recent } = useGet<{ sessions: readonly SessionInfo[] }>(`/sessions?limit=12#${live}`);
  const { answer: inbox } = useGet<{ approvals: readonly Approval[] }>(`/approvals?state=open&limit=8#${live}`);
  return (
    <div className="page">
      <header>
        <h1>Home</h1>
        <span className="grow" />
        <Ask />
      </header>
      {home.state === "failed" && <Trouble problem={home.problem} retry={again} />}
      {home.state === "there" && <Numbers home={home.value} />}
      <div className="columns">
        <section className="panel">
          <div className="title">
            <h2>Waiting for you</h2>
          </div>
          {inbox.state === "there" && inbox.value.approvals.length === 0 && (
            <Empty title="Nothing waits">
              What needs a person lands here: approvals, effects in doubt, quarantined turns.
            </Empty>
          )}
          {inbox.state === "there" &&
            inbox.value.approvals.map((approval) => (
              <Link key={approval.approval_id} className="pick" href={`/inbox/${approval.approval_id}`}>
                <strong>{visible(approval.title)}</strong>
                <span className="soft">
                  {approval.kind.replaceAll("_", " ")} · asked by {approval.author}, <Ago ts={approval.created_at} />
                </span>
              </Link>
            ))}
        </section>
        <section className="panel">
          <div className="title">
            <h2>Latest sessions</h2>
            <span className="grow" />
            <Link href="/sessions">all</Link>
          </div>
          {recent.state === "loading" && <Loading what="sessions" />}
          {recent.state === "there" && recent.value.sessions.length === 0 && (
            <Empty title="No session yet" command={'writ run "greet Ada"'}>
              Ask for something above, or in a terminal:
            </Empty>
          )}
          {recent.state === "there" && recent.value.sessions.length > 0 && (
            <SessionTable sessions={recent.value.sessions} narrow />
          )}
        </section>
      </div>
    </div>
  );
}

function Numbers({ home }: { readonly home: Home }) {
  const { spent } = home;
  const share = spent.usd_limit
    ? spent.usd / spent.usd_limit
    : spent.token_limit
      ? spent.tokens / spent.token_limit
      : null;
  return (
    <div className="numbers">
      <Link className="figure" href="/sessions?state=open">
        <strong>{count(home.running)}</strong>
        <span className="soft">running</span>
      </Link>
      <Link className="figure" href="/inbox">
        <strong>{count(home.waiting)}</strong>
        <span className="soft">waiting for you</span>
      </Link>
      <Link className="figure" href="/sessions?state=failed">
        <strong>{count(home.failed_since_yesterday)}</strong>
        <span className="soft">failed since yesterday</span>
      </Link>
      <Link className="figure" href="/settings">
        <strong>{usd(spent.usd)}</strong>
        <span className="soft">
          spent{spent.usd_limit ? ` of ${usd(spent.usd_limit)}` : ""} · {count(spent.tokens)} tokens
        </span>
        {share !== null && (
          <span
            className={`meter${share > 0.9 ? " high" : ""}`}
            role="meter"
            aria-label="Budget spent"
            aria-valuenow={Math.round(share * 100)}
            aria-valuemin={0}
            aria-valuemax={100}
          >
            <i style={{ width: `${Math.min(100, share * 100)}%` }} />
          </span>
        )}
      </Link>
    </div>
  );
}

/** The first thing a newcomer does, also here. */
function Ask() {
  const [, go] = useLocation();
  const [text, setText] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const ask = async () => {
    try {
      const { session_id } = await send<{ session_id: string }>("POST", "/requests", { prompt: text });
      go(`/sessions/${session_id}`);
    } catch (thrown) {
      setFailure(problemOf(thrown).message);
    }
  };
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) void ask();
      }}
    >
      {failure && (
        <span role="alert" className="state failed">
          {failure}
        </span>
      )}
      <input
        className="field"
        size={36}
        placeholder="greet Ada"
        aria-label="Ask for something"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="button primary">
        Run
      </button>
    </form>
  );
}
