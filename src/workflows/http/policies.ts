import type { BacktestRequestV1, ShadowReportV1 } from "#core/contracts";
import { domainError } from "#core/errors";
import {
  arrayOf,
  type Call,
  is,
  json,
  objectOf,
  plainGet,
  policyFields,
  type Reply,
  type Route,
  text,
} from "#core/routes";
import { err, ok, type Result } from "#core/values";
import type { Hooks } from "#governance";
import { covers } from "#people";
import type { SessionCatalog } from "#proof";
import { type BacktestService, type Past, shadowReport } from "../backtest/backtest-service.ts";
import type { Candidate } from "../backtest/candidate.ts";
import type { Workflows } from "../definitions/registry.ts";

/** How long the rules of a policy are evaluated for one request; they may be the caller's own. */
const mostMs = 2_000;

const policy = objectOf(
  {
    ...policyFields.always,
    file: is.text,
    origin: is.text,
    hash: is.hash,
    text: { type: "string", description: "As it is written." },
    cycles: { ...arrayOf(is.text), description: "The cycles that obey it." },
  },
  policyFields.maybe,
);
const hook = objectOf(
  {
    id: is.text,
    point: is.text,
    priority: is.number,
    timeoutMs: is.count,
    kind: { enum: ["function", "module", "command"] },
    source: is.text,
    hash: is.hash,
  },
  { matcher: is.text, shipped: is.flag },
);

export interface PolicyRouteParts {
  /** The workspace, absolute. */
  readonly root: string;
  readonly workflows: Pick<Workflows, "inspect">;
  readonly hooks: Pick<Hooks, "list">;
  readonly backtest: BacktestService;
  /** What policies that only watched said, folded once for each session. */
  readonly catalog: Pick<SessionCatalog, "shadows">;
}

/** The rules in force, and what others would have decided over recorded sessions. */
export const policyRoutes: readonly Route<PolicyRouteParts>[] = [
  {
    ...plainGet,
    path: "/api/v1/policies",
    tag: "policies",
    summary: "The policies of the workflow plane, and the hooks in the order in which they are asked",
    right: "read",
    query: {},
    headers: {},
    answer: {
      status: 200,
      description: "Both.",
      schema: objectOf({ policies: arrayOf(policy), hooks: arrayOf(hook) }),
    },
    otherAnswers: [],
    async handle({ workflows, hooks }) {
      const inspected = await workflows.inspect();
      if (!inspected.ok) return inspected;
      const cycles = [...inspected.value.cycles.values()];
      const policies = inspected.value.definitions
        .filter(({ axis }) => axis === "policy")
        .map(({ data, file, origin, hash, text: written }) => ({
          ...data,
          file,
          origin,
          hash,
          text: written,
          cycles: cycles
            .filter(({ definitions }) => definitions.some((each) => each.file === file))
            .map(({ id }) => id),
        }));
      return ok(json({ policies, hooks: hooks.list() }));
    },
  },
  {
    method: "POST",
    path: "/api/v1/policies/backtest",
    tag: "policies",
    summary:
      "Judges a policy or hook over recorded sessions: every decision that would have been different. Calls no model and no tool; a hook of the workspace runs, and needs the right to submit orders. What two seconds of evaluating a policy do not reach is left out: `complete` is false then, and fewer sessions go further",
    right: "read",
    query: {},
    headers: {},
    body: "backtest_request_v1",
    answer: { status: 200, description: "The report.", schema: "backtest_report_v1" },
    otherAnswers: [],
    reserveId: null,
    isSecret: true, // changes nothing, so no answer is stored
    isProbe: false,
    handle: backtestPolicy,
  },
  {
    ...plainGet,
    path: "/api/v1/policies/shadows",
    tag: "policies",
    summary: "What policies that only watch decided, beside what was done",
    right: "read",
    query: {
      session: { type: "string", description: "Only this session." },
      since: { type: "string", description: "Only what began then or later; ISO 8601.", maxLength: 40 },
      cycle: { type: "string", description: "Only sessions that ran this cycle.", maxLength: 128 },
    },
    headers: {},
    answer: {
      status: 200,
      description: "The report; of sessions in which a policy watched.",
      schema: "shadow_report_v1",
    },
    otherAnswers: [],
    async handle({ catalog }, { query, signal }) {
      const session = text(query, "session");
      const past = pastOf(
        {
          ...optional("since", text(query, "since")),
          ...optional("cycle", text(query, "cycle")),
          ...(session === undefined ? {} : { sessions: [session] }),
        },
        signal,
      );
      if (!past.ok) return past;
      const found = await catalog.shadows(text(query, "since") ?? null);
      if (!found.ok) return found;
      const cycle = text(query, "cycle");
      const decisions = found.value
        .filter(({ session_id }) => session === undefined || session_id === session)
        .flatMap(({ decisions }) => decisions as ShadowReportV1["decisions"])
        .filter(({ cycle_id }) => cycle === undefined || cycle_id === cycle);
      return ok(json(shadowReport(decisions, found.value.length, [])));
    },
  },
];

async function backtestPolicy(parts: PolicyRouteParts, { body, caller, signal }: Call): Promise<Result<Reply>> {
  const wanted = body as BacktestRequestV1;
  const past = pastOf(wanted, signal);
  if (!past.ok) return past;
  const candidate = await candidateOf(wanted, parts);
  if (!candidate.ok) return candidate;
  try {
    // A hook is a program that runs on this server: a caller who may only read may not start one.
    if (candidate.value.kind === "hook" && !covers(caller.grants, "order.submit"))
      return err(
        domainError(
          "NOT_AUTHORIZED",
          `${caller.id} may not have a hook asked: it runs on this server, and no role of theirs grants "order.submit"`,
          { details: { caller: caller.id, right: "order.submit" } },
        ),
      );
    const report = await parts.backtest.backtest(candidate.value, { ...past.value, mostMs });
    return report.ok ? ok(json(report.value)) : report;
  } finally {
    if (candidate.value.kind === "hook") await candidate.value.close();
  }
}

async function candidateOf(
  wanted: BacktestRequestV1,
  { backtest, hooks, root }: PolicyRouteParts,
): Promise<Result<Candidate>> {
  if (wanted.text !== undefined) return backtest.ofText(wanted.text, "the policy that was sent");
  const name = wanted.policy ?? "";
  // A remote caller names only what the workspace lists: no path is read.
  const isKnown = hooks.list().some(({ id }) => id === name);
  if (!isKnown && /[/\\]|\.(md|ya?ml)$/.test(name))
    return err(
      domainError("MALFORMED_INPUT", `${JSON.stringify(name)} is no id of a policy or hook`, {
        details: { hint: "send the Markdown of a policy as `text`, or name what /api/v1/policies lists" },
      }),
    );
  return backtest.find({ name, cwd: root });
}

function pastOf({ sessions, since, cycle }: Partial<BacktestRequestV1>, signal: AbortSignal): Result<Past> {
  if (since !== undefined && Number.isNaN(Date.parse(since)))
    return err(domainError("MALFORMED_INPUT", `since is a time in ISO 8601, not ${JSON.stringify(since)}`));
  return ok({ ...optional("sessions", sessions), ...optional("since", since), ...optional("cycle", cycle), signal });
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}
