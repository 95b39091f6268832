/** The four answers of a session and how it stands, folded from its events. A door of its own: pages and the terminal ask it. */

export type { AllowedBy } from "./allowed-by.ts";
export { type Answers, AnswersFold, type Standing } from "./answers.ts";
export type { Listed } from "./gathered.ts";
export type { Seen } from "./saw.ts";
export { type SessionState, stateOf } from "./session-state.ts";
export type { Written } from "./wrote.ts";
