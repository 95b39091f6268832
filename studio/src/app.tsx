import { lazy, Suspense, useEffect, useState } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { Me } from "./api/rights.ts";
import type { Approval, Whoami } from "./api/types.ts";
import { useGet } from "./api/use-get.ts";
import { useWorkspaceStream } from "./api/use-workspace-stream.ts";
import { EvalsPage } from "./evals/evals-page.tsx";
import { HaltBar } from "./halts/halt-bar.tsx";
import { InboxPage } from "./inbox/inbox-page.tsx";
import { useCalm } from "./inbox/use-calm.ts";
import { ComparePage } from "./pages/compare.tsx";
import { HomePage } from "./pages/home.tsx";
import { RunsPage } from "./pages/runs.tsx";
import { SessionsPage } from "./pages/sessions.tsx";
import { places } from "./places.ts";
import { PoliciesPage } from "./policies/policies-page.tsx";
import { SessionPage } from "./session/session-page.tsx";
import { SettingsPage } from "./settings/settings-page.tsx";
import { SignIn } from "./settings/sign-in.tsx";
import { ThreadPage } from "./threads/thread-page.tsx";
import { ThreadsPage } from "./threads/threads-page.tsx";
import { titleOf } from "./title-of.ts";
import { Fault } from "./ui/fault.tsx";
import { goToKey } from "./ui/go-to-key.ts";
import { KeyHelp } from "./ui/key-help.tsx";
import { Empty, Loading } from "./ui/notes.tsx";
import { Palette } from "./ui/palette.tsx";
import { useKeys } from "./ui/use-keys.ts";
import { visible } from "./ui/visible.ts";

// Graphs bring a large library along: only who looks at one loads it.
const RunPage = lazy(() => import("./run/run-page.tsx").then(({ RunPage }) => ({ default: RunPage })));
const WorkflowsPage = lazy(() =>
  import("./workflow/workflows-page.tsx").then(({ WorkflowsPage }) => ({ default: WorkflowsPage })),
);
const WorkflowPage = lazy(() =>
  import("./workflow/workflow-page.tsx").then(({ WorkflowPage }) => ({ default: WorkflowPage })),
);

/** The inbox stays what it is while its reader goes from question to question; every other address is a page of its own. */
function pageOf(location: string): string {
  return location.startsWith("/inbox") ? "/inbox" : location;
}

export function App() {
  const [location, go] = useLocation();
  const [dialog, setDialog] = useState<"keys" | "palette" | null>(null);
  const live = useWorkspaceStream();
  const { answer: who } = useGet<Whoami>("/whoami");
  const { answer: inbox } = useGet<{ approvals: readonly Approval[] }>(
    `/approvals?state=open&limit=100#${useCalm(live.approvals, 1_000)}`,
  );
  const isUnknown = who.state === "failed" && who.problem.status === 401;
  const me = who.state === "there" ? who.value.caller : null;
  const waiting = inbox.state === "there" ? inbox.value.approvals.length : 0;
  useEffect(() => {
    document.title = titleOf(location);
  }, [location]);
  useKeys({
    "?": () => setDialog("keys"),
    ...Object.fromEntries(places.map((place) => [`g ${place.key}`, () => go(place.href)])),
  });
  const isHere = (href: string) => (href === "/" ? location === "/" : location.startsWith(href));
  return (
    <Me value={who.state === "there" ? who.value : null}>
      <div className="shell">
        <a className="skip" href="#main">
          Skip to content
        </a>
        <nav className="bar" aria-label="Studio">
          <Link className="brand" href="/">
            Writ
          </Link>
          {places.map((place) => (
            <Link
              key={place.href}
              className="place"
              href={place.href}
              {...(isHere(place.href) ? { "aria-current": "page" } : {})}
            >
              <span className="steady" data-name={place.name}>
                {place.name}
              </span>
              {place.href === "/inbox" && waiting > 0 && (
                <span className="count">
                  {waiting}
                  <span className="unseen"> waiting</span>
                </span>
              )}
            </Link>
          ))}
          <span className="grow" />
          {!live.connected && (
            <span className="soft" role="status">
              reconnecting …
            </span>
          )}
          <button
            type="button"
            className="button quiet"
            onClick={() => setDialog("palette")}
            aria-keyshortcuts="Control+K Meta+K"
          >
            Go to <kbd>{goToKey}</kbd>
          </button>
          <span
            className="soft clip"
            title={who.state === "there" ? `${who.value.roles.join(", ")}, by ${who.value.authenticated_by}` : ""}
          >
            {visible(me ?? "")}
          </span>
        </nav>
        <HaltBar live={live.sessions} />
        <main className="main" id="main" tabIndex={-1}>
          <Fault key={pageOf(location)}>
            <Suspense
              fallback={
                <div className="page">
                  <Loading what="the page" />
                </div>
              }
            >
              {isUnknown ? (
                <SignIn />
              ) : (
                <Switch>
                  <Route path="/">
                    <HomePage live={live.sessions + live.approvals} me={me} />
                  </Route>
                  <Route path="/sessions">
                    <SessionsPage live={live.sessions} />
                  </Route>
                  <Route path="/sessions/:id">{({ id }) => <SessionPage key={id} session_id={id} />}</Route>
                  <Route path="/compare">
                    <ComparePage />
                  </Route>
                  <Route path="/threads">
                    <ThreadsPage live={live.sessions} />
                  </Route>
                  <Route path="/threads/:id">{({ id }) => <ThreadPage key={id} thread_id={id} />}</Route>
                  <Route path="/runs">
                    <RunsPage live={live.runs} />
                  </Route>
                  <Route path="/runs/:id">{({ id }) => <RunPage key={id} run_id={id} />}</Route>
                  <Route path="/workflows">
                    <WorkflowsPage />
                  </Route>
                  <Route path="/workflows/:id">
                    {({ id }) => <WorkflowPage key={id} cycle_id={id} live={live.sessions} />}
                  </Route>
                  <Route path="/inbox/:id?">
                    {({ id }) => <InboxPage approval_id={id ?? null} live={live.approvals} me={me} />}
                  </Route>
                  <Route path="/policies">
                    <PoliciesPage />
                  </Route>
                  <Route path="/evals">
                    <EvalsPage />
                  </Route>
                  <Route path="/settings">
                    <SettingsPage live={live.sessions} />
                  </Route>
                  <Route>
                    <Empty title="There is no such page">
                      The address may be old. “Go to” finds sessions, runs and pages.
                    </Empty>
                  </Route>
                </Switch>
              )}
            </Suspense>
          </Fault>
        </main>
        <Palette open={dialog === "palette"} onOpen={() => setDialog("palette")} onClose={() => setDialog(null)} />
        {dialog === "keys" && <KeyHelp onClose={() => setDialog(null)} />}
      </div>
    </Me>
  );
}
