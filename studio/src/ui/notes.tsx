import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import type { Problem } from "../api/client.ts";
import { visible } from "./visible.ts";

/** Nothing is here yet: what would be, and how to get it. */
export function Empty({
  title,
  children,
  command,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly command?: string;
}) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {command && <code>{command}</code>}
    </div>
  );
}

/** What went wrong and what to do about it. */
export function Trouble({ problem, retry }: { readonly problem: Problem; readonly retry?: () => void }) {
  const [location] = useLocation();
  const list = `/${location.split("/")[1] ?? ""}`;
  // What is not there is not there on the second look either: the list is the way out.
  const leadsToList = problem.status === 404 && list !== location;
  return (
    <div className="note bad trouble" role="alert">
      <strong>{problem.title}</strong>
      <p>{visible(problem.detail)}</p>
      <p className="soft">
        {problem.code} · {visible(problem.hint)}
      </p>
      {leadsToList ? (
        <Link className="button" href={list}>
          Back to the list
        </Link>
      ) : problem.status === 401 && location !== "/settings" ? (
        <Link className="button" href="/settings">
          Sign in
        </Link>
      ) : (
        retry && (
          <button type="button" className="button" onClick={retry}>
            Try again
          </button>
        )
      )}
    </div>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <p className="faint" role="status">
      Reading {what} …
    </p>
  );
}
