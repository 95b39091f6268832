/**
 * What the official scenarios ask, and what of it applies to Writ's MCP server. Writ offers tools and nothing else, keeps
 * no session in the protocol, and never asks the client for anything: a person is asked through the inbox.
 *
 * `applies`: every check must pass, but for those that are excepted with a reason. A reason alone: the scenario tests
 * something that is not offered, or calls a tool by a name that only the judge's own fixture server has.
 */
export type Verdict = string | Applies;
interface Applies {
  readonly except: Readonly<Record<string, string>>;
}

const applies: Applies = { except: {} };

const fixture = "calls a tool of the judge's fixture server that Writ does not have";
const noResources = "Writ declares no resources: documents are read with the tool read_document";
const noPrompts = "Writ declares no prompts";
const noLogging = "Writ declares no logging: what happened is in the session's events";
const noCompletion = "Writ declares no completions: there is nothing to complete without prompts and resources";
const noQuestions = "Writ asks people through its inbox, never the client's model or user";
const noTasks = "the extension is not declared: a session is the task, watched with watch_session";
const noSessions = "no protocol session is kept: each request stands alone, so there is no stream to resume";

const tools = {
  "tools-call-simple-text": fixture,
  "tools-call-image": `${fixture}; no tool of Writ answers with an image`,
  "tools-call-audio": `${fixture}; no tool of Writ answers with sound`,
  "tools-call-embedded-resource": `${fixture}; ${noResources}`,
  "tools-call-mixed-content": fixture,
  "tools-call-error": fixture,
  "tools-call-with-progress": `${fixture}; a long call is watched with watch_session`,
  "json-schema-2020-12": fixture,
} as const;

const notOffered = {
  "completion-complete": noCompletion,
  "resources-list": noResources,
  "resources-read-text": noResources,
  "resources-read-binary": noResources,
  "resources-templates-read": noResources,
  "prompts-list": noPrompts,
  "prompts-get-simple": noPrompts,
  "prompts-get-with-args": noPrompts,
  "prompts-get-embedded-resource": noPrompts,
  "prompts-get-with-image": noPrompts,
} as const;

export const scenarios: Readonly<Record<string, Readonly<Record<string, Verdict>>>> = {
  "2025-11-25": {
    "server-initialize": applies,
    ping: applies,
    "tools-list": applies,
    "dns-rebinding-protection": applies,
    "server-session-lifecycle": noSessions,
    "server-sse-multiple-streams": noSessions,
    "server-sse-polling": noSessions,
    ...tools,
    ...notOffered,
    "logging-set-level": noLogging,
    "tools-call-with-logging": noLogging,
    "tools-call-sampling": noQuestions,
    "tools-call-elicitation": noQuestions,
    "elicitation-sep1034-defaults": noQuestions,
    "elicitation-sep1330-enums": noQuestions,
    "resources-subscribe": noResources,
    "resources-unsubscribe": noResources,
  },
  "2026-07-28": {
    "server-stateless": {
      except: {
        "sep-2575-server-rejects-undeclared-capability": fixture,
        "sep-2575-missing-capability-http-400": fixture,
        "sep-2575-http-server-no-independent-requests-on-stream": fixture,
        "sep-2575-server-no-log-without-loglevel": fixture,
        "sep-2575-server-sends-prompts-list-changed-on-subscription": noPrompts,
        "sep-2575-server-sends-tools-list-changed-on-subscription": "the tools never change while a server lives",
      },
    },
    "tools-list": applies,
    "dns-rebinding-protection": applies,
    "http-header-validation": applies,
    "server-sse-multiple-streams": applies,
    caching: {
      except: {
        "sep-2549-prompts-list-caching-hints": noPrompts,
        "sep-2549-resources-list-caching-hints": noResources,
        "sep-2549-resources-templates-list-caching-hints": noResources,
        "sep-2549-resources-read-caching-hints": noResources,
      },
    },
    "sep-2164-resource-not-found": noResources,
    "http-custom-header-server-validation": "no tool of Writ asks for a header",
    ...tools,
    ...notOffered,
    ...Object.fromEntries(
      [
        "basic-elicitation",
        "basic-sampling",
        "basic-list-roots",
        "request-state",
        "multiple-input-requests",
        "multi-round",
        "missing-input-response",
        "non-tool-request",
        "result-type",
        "unsupported-methods",
        "tampered-state",
        "capability-check",
        "ignore-extra-params",
        "validate-input",
      ].map((name) => [`input-required-result-${name}`, noQuestions]),
    ),
    ...Object.fromEntries(
      [
        "lifecycle",
        "capability-negotiation",
        "wire-fields",
        "request-state-removal",
        "mrtr-input",
        "request-headers",
        "dispatch-and-envelope",
        "status-notifications",
        "required-task-error",
        "mrtr-composition",
      ].map((name) => [`tasks-${name}`, noTasks]),
    ),
  },
};
