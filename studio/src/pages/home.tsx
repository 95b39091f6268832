import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { send } from "../api/client.ts";
import { useWhyNot } from "../api/rights.ts";
import type { Approval, RunV1, SessionInfo } from "../api/types.ts";
import { useGet } from "../api/use-get.ts";
import { stateOfRun } from "../run/states.ts";
import { askedOf, stateOfSession } from "../session/state-of-session.ts";
import { Meter } from "../ui/meter.tsx";
import { Empty, Loading, Trouble } from "../ui/notes.tsx";
import { count, usd } from "../ui/numbers.ts";
import { Panel } from "../ui/panel.tsx";
import { StartForm } from "../ui/start-form.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";
import { AskedBy, decidableFirst } from "./asked-by.tsx";
import { SessionTable } from "./session-table.tsx";

interface Home {
  readonly running: number;
  readonly waiting: number;
  readonly failed_since_yesterday: number;
  readonly spent: {
    readonly period: "ever" | "month" | "day";
    readonly tokens: number;
    readonly usd: number;
    readonly token_limit: number | null;
    readonly usd_limit: number | null;
  };
}

const shown = 5;

/** What runs, what waits for me, what failed, what it cost; nothing that does not lead somewhere. */
export function HomePage({ live, me }: { readonly live: number; readonly me: string | null }) {
  const { answer: home, again } = useGet<Home>(`/home#${live}`);
  const { answer: recent } = useGet<{ sessions: readonly SessionInfo[] }>(`/sessions?limit=40#${live}`);
  const { answer: failed } = useGet<{ sessions: readonly SessionInfo[] }>(
    `/sessions?state=failed&limit=${shown}#${live}`,
  );
  const { answer: open } = useGet<{ sessions: readonly SessionInfo[] }>(`/sessions?state=open&limit=50#${live}`);
  const { answer: runs } = useGet<{ runs: readonly RunV1[] }>(`/runs?limit=50#${live}`);
  const { answer: inbox } = useGet<{ approvals: readonly Approval[] }>(`/approvals?state=open&limit=8#${live}`);
  const sessions = recent.state === "there" ? recent.value.sessions.filter(isRequest) : [];
  const running =
    open.state === "there" ? open.value.sessions.filter((info) => isRequest(info) && info.state === "running") : [];
  const active = runs.state === "there" ? runs.value.runs.filter(({ status }) => status === "active") : [];
  const waiting = inbox.state === "there" ? decidableFirst(inbox.value.approvals, me) : [];
  const own = waiting.filter(({ author }) => author === me).length;
  const mayDecide = useWhyNot("approve") === null;
  const failures = failed.state === "there" ? failed.value.sessions : [];
  return (
    <div className="page">
      <header>
        <h1>Home</h1>
        <span className="grow" />
        <Ask />
      </header>
      {home.state === "failed" && <Trouble problem={home.problem} retry={again} />}
      {home.state !== "failed" && (
        <Numbers
          home={home.state === "there" ? home.value : null}
          runs={active.length}
          own={own}
          mayDecide={mayDecide}
        />
      )}
      <div className="columns">
        <div className="stack wide">
          <List title={mayDecide ? "Waiting for you" : "Waiting for somebody"} href="/inbox">
            {inbox.state === "there" && waiting.length === 0 && (
              <p className="body soft">
                Nothing. What needs a person lands here: approvals, effects in doubt, quarantined turns.
              </p>
            )}
            {waiting.map((approval) => (
              <Link key={approval.approval_id} className="pick" href={`/inbox/${approval.approval_id}`}>
                <span className="row">
                  <State name="waiting" label={visible(approval.title)} />
                </span>
                <span className="soft clip">
                  <AskedBy approval={approval} me={me} />
                </span>
              </Link>
            ))}
          </List>
          <List title="Running" href="/sessions?state=open">
            {open.state === "there" && runs.state === "there" && running.length + active.length === 0 && (
              <p className="body soft">Nothing runs. Ask for something above, or start a run.</p>
            )}
            {active.slice(0, shown).map((run) => (
              <Link key={run.run_id} className="pick" href={`/runs/${run.run_id}`}>
                <span className="row">
                  <State {...stateOfRun(run)} />
                  <span className="clip grow">{visible(run.objective)}</span>
                  <span className="soft">run</span>
                </span>
              </Link>
            ))}
            {running.slice(0, shown).map((info) => (
              <SessionLine key={info.session_id} info={info} />
            ))}
          </List>
          <List title="Failed" href="/sessions?state=failed">
            {failed.state === "there" && failures.length === 0 && <p className="body soft">Nothing failed.</p>}
            {failures.map((info) => (
              <SessionLine key={info.session_id} info={info} />
            ))}
          </List>
        </div>
        <List title="Latest sessions" href="/sessions">
          {recent.state === "loading" && (
            <div className="body">
              <Loading what="sessions" />
            </div>
          )}
          {recent.state === "failed" && <Trouble problem={recent.problem} />}
          {recent.state === "there" && sessions.length === 0 && (
            <Empty title="No session yet" command={'writ run "greet Ada"'}>
              A session is one governed request: what was asked, what was done, which rule allowed it, with proof. Ask
              for something above, or in a terminal:
            </Empty>
          )}
          {sessions.length > 0 && <SessionTable sessions={sessions.slice(0, 14)} narrow />}
        </List>
      </div>
    </div>
  );
}

/** The inbox and the intake record sessions of their own, which no caller requested. */
const isRequest = ({ work_order_id }: SessionInfo): boolean => work_order_id?.startsWith("WO-") === true;

function List({
  title,
  href,
  children,
}: {
  readonly title: string;
  readonly href: string;
  readonly children: ReactNode;
}) {
  return (
    <Panel
      title={title}
      right={
        <Link href={href} aria-label={`${title}, all`}>
          all
        </Link>
      }
    >
      {children}
    </Panel>
  );
}

function SessionLine({ info }: { readonly info: SessionInfo }) {
  return (
    <Link className="pick" href={`/sessions/${info.session_id}`}>
      <span className="row">
        <State {...stateOfSession(info)} />
        <span className="clip grow">{visible(askedOf(info))}</span>
        <span className="soft">
          <Ago ts={info.last_at} />
        </span>
      </span>
    </Link>
  );
}

const periods = { ever: "spent", month: "spent this month", day: "spent today" } as const;

function Numbers(props: {
  readonly home: Home | null;
  readonly runs: number;
  /** Open questions that this caller asked, among those that are listed. */
  readonly own: number;
  readonly mayDecide: boolean;
}) {
  const { home, runs, own, mayDecide } = props;
  const spent = home?.spent;
  return (
    <div className="numbers">
      <Link className="figure" href="/sessions?state=open">
        <span className="soft">running</span>
        <strong>{home ? count(home.running) : "–"}</strong>
        <span className="faint">{runs === 0 ? "sessions" : `sessions, and ${count(runs)} of the runs`}</span>
      </Link>
      <Link className={`figure${home && home.waiting > 0 ? " wait" : ""}`} href="/inbox">
        <span className="soft">{mayDecide ? "waiting for you" : "waiting for somebody"}</span>
        <strong>{home ? count(home.waiting) : "–"}</strong>
        <span className="faint">
          {!mayDecide
            ? "who may approve or deny"
            : own === 0
              ? "to approve or deny"
              : `${count(own)} of them for somebody else`}
        </span>
      </Link>
      <Link className={`figure${home && home.failed_since_yesterday > 0 ? " bad" : ""}`} href="/sessions?state=failed">
        <span className="soft">failed since yesterday</span>
        <strong>{home ? count(home.failed_since_yesterday) : "–"}</strong>
        <span className="faint">denied, refused or broken</span>
      </Link>
      <Link className="figure" href="/settings">
        <span className="soft">{spent ? periods[spent.period] : "spent"}</span>
        <span className="row">
          <strong>{spent ? usd(spent.usd) : "–"}</strong>
          {spent?.usd_limit != null && <span className="soft">of {usd(spent.usd_limit)}</span>}
        </span>
        <span className="faint row">
          <span className="clip">
            {spent &&
              `${count(spent.tokens)}${spent.token_limit === null ? "" : ` of ${count(spent.token_limit)}`} tokens`}
          </span>
          {spent && <Meter share={shareOf(spent)} label="Budget spent" />}
        </span>
      </Link>
    </div>
  );
}

/** Whichever limit is nearer. */
function shareOf({ usd, usd_limit, tokens, token_limit }: Home["spent"]): number | null {
  const shares = [usd_limit ? usd / usd_limit : null, token_limit ? tokens / token_limit : null];
  const known = shares.filter((share) => share !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** The first thing a newcomer does, also here. */
function Ask() {
  const [, go] = useLocation();
  return (
    <StartForm
      right="order.submit"
      label="Ask for something"
      placeholder="greet Ada"
      button="Run"
      onStart={async (prompt) => {
        const { session_id } = await send<{ session_id: string }>("POST", "/requests", { prompt });
        go(`/sessions/${session_id}`);
      }}
    />
  );
}
