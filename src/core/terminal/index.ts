/** What a terminal shows: tables, colours, one-line texts. */
export { besideOrBelow } from "./beside-or-below.ts";
export { explainError } from "./explain-error.ts";
export { fold } from "./fold.ts";
export { ago, bar, count, duration, money, moneySpent, offset, overBudget, plural } from "./format.ts";
export { liveLine } from "./live-line.ts";
export { harmless, nameInLine, oneLine, row } from "./row.ts";
export { sameWorkspace } from "./same-workspace.ts";
export { type Screen, screenOf, showsColour } from "./screen.ts";
export { shellWord } from "./shell-word.ts";
export { table } from "./table.ts";
