/**
 * Checks of the official judge that Writ does not pass, each with the reason. An entry that passes by now is reported as
 * stale, so that the table cannot grow old.
 */
export const leftOut: Readonly<Record<"server" | "client", Readonly<Record<string, string>>>> = {
  server: {
    "tasks-status-notifications": "the judge skips it for every server: its own harness waits to be rewritten",
  },
  client: {},
};
