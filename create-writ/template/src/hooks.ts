import { defineHook } from "writ";

/** What must not happen, whatever a model wants. It is asked before each call; an exception in it denies too. */
export const noThule = defineHook({
  id: "no-thule",
  point: "PreToolUse",
  matcher: "weather.*",
  decide: ({ args }) =>
    JSON.stringify(args).includes("Thule") ? { decision: "deny", reason: "not on our map" } : { decision: "allow" },
});
