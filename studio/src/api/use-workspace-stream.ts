import { useEffect, useState } from "react";
import { useSignIn } from "./client.ts";
import { follow } from "./live.ts";
import { reachable } from "./reachable.ts";

export interface WorkspaceStream {
  readonly connected: boolean;
  /** Each counts up when something of its kind changed: a list that shows such things reads again. */
  readonly sessions: number;
  readonly approvals: number;
  readonly runs: number;
}

/** One stream for the whole studio says what changed; pages read it by themselves. */
export function useWorkspaceStream(): WorkspaceStream {
  const [state, setState] = useState<WorkspaceStream>({ connected: true, sessions: 0, approvals: 0, runs: 0 });
  const key = useSignIn();
  useEffect(
    () =>
      follow("/stream", {
        onConnection: (connected) => {
          if (connected) reachable.tell();
          // The stream does not repeat changes of the time without a connection: after a reconnect all lists are read again.
          setState((before) => {
            if (before.connected === connected) return before;
            const missed = connected ? 1 : 0;
            return {
              connected,
              sessions: before.sessions + missed,
              approvals: before.approvals + missed,
              runs: before.runs + missed,
            };
          });
        },
        onMessage: ({ event }) =>
          setState((before) => {
            const key =
              event === "session" ? "sessions" : event === "approval" ? "approvals" : event === "run" ? "runs" : null;
            return key ? { ...before, [key]: before[key] + 1 } : before;
          }),
      }),
    [key],
  );
  return state;
}
