/**
 * Seed 003's app level. Apps decide what work means: they request work, make revisions from patches, and close runs. They
 * access no state, no file and no model directly.
 */
import { codeChangeApp } from "./code-change/code-change-app.ts";
import type { ThinkingApp } from "./thinking-app.ts";
import { writerApp } from "./writer/writer-app.ts";

/** The apps that come with Writ, by the name that a run gives. */
export const builtInApps: Readonly<Record<string, ThinkingApp>> = {
  "code-change": codeChangeApp,
  writer: writerApp,
};
