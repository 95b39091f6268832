import { scriptedEcho } from "#agents";
import type { Invocation } from "#core/commands";
import { besideOrBelow, fold, harmless, moneySpent, oneLine, overBudget, sameWorkspace } from "#core/terminal";
import { isJsonObject } from "#core/values";
import type { ToolProgress } from "#effects";
import type { Event, EventKinds } from "#log";
import { shortId } from "#log";
import type { Verification } from "#proof";
import type { FlowResult } from "../flow/execution-context.ts";
import { cycleSummary } from "./cycle-summary.ts";
import { liveStory } from "./live-story.ts";
import { effectsText } from "./render-effects.ts";
import { renderFailure } from "./render-failure.ts";
import { renderLeftOut } from "./render-left-out.ts";
import { refusedActsText } from "./render-refused-acts.ts";
import { undoneText } from "./render-undone.ts";
import { valuesOffText } from "./values-off.ts";
import { verdictOn } from "./verdict-on.ts";

export { leftOutBeside } from "./render-left-out.ts";

export interface RunStory {
  readonly listeners: {
    readonly onEvent: (event: Event) => void;
    readonly onText: (role: string, delta: string) => void;
    readonly onProgress: (call_id: string, progress: ToolProgress) => void;
  };
  end(result: FlowResult, checked: Verification | undefined): void;
}

/** Renders a request for a person: its order, its steps by role, the result, the verdict on the record, the next commands. */
export function runStory(invocation: Invocation<object>, order: unknown, kinds: EventKinds): RunStory {
  const { context, screen } = invocation;
  const { stdout } = context;
  const live = liveStory(stdout, screen, context.clock, kinds);
  const dot = ` ${screen.sign.dot} `;
  const asked = isJsonObject(order) ? order : {};
  let orderId = typeof asked["work_order_id"] === "string" ? asked["work_order_id"] : "work order";
  let provider = "";
  let profile: string | undefined;
  let skill = "";
  let usdLimit: number | undefined;
  let headed = false;
  let leftOut = "";

  const head = (session: string) => {
    headed = true;
    const parts = [orderId, ...(skill === "" ? [] : [`skill ${skill}`]), ...(provider === "" ? [] : [provider])];
    const line = [...parts, `session ${session}`].join(dot);
    const fits = screen.width === 0 || "writ  ".length + line.length <= screen.width;
    stdout.write(`${screen.bold("writ")}  ${fits ? line : `${parts.join(dot)}\n      session ${session}`}\n\n`);
    if (leftOut !== "") stdout.write(`${leftOut}\n`);
  };
  const onEvent = (event: Event) => {
    leftOut += renderLeftOut(event, screen);
    if (event.type === "skill.invoke") skill = event.payload.skill;
    if (event.type === "wo.started") {
      const { budget_scope: limits, work_order_id } = event.payload;
      orderId = work_order_id;
      usdLimit = typeof limits?.["usd_limit"] === "number" ? limits["usd_limit"] : undefined;
    }
    if (event.type === "llm.request") ({ provider, profile } = event.payload);
    if (
      !headed &&
      (event.type === "workflow.entered" ||
        event.type === "llm.request" ||
        event.type === "wo.rejected" ||
        event.type === "wo.failed")
    )
      head(event.session_id);
    live.onEvent(event);
  };
  return {
    listeners: { onEvent, onText: live.onText, onProgress: live.onProgress },
    end(result, checked) {
      live.end();
      if (!headed && result.session_id != null) head(result.session_id);
      const gap = live.hasLines ? "\n" : ""; // below the head there is one already
      if (result.response !== null && (result.status === "success" || result.status === "partial"))
        stdout.write(`${gap}${harmless(cycleSummary(result.response))}\n`);
      if (result.error !== null)
        stdout.write(
          `${gap}${renderFailure({ status: result.status, code: result.error_code ?? "", message: result.error, profile }, screen)}`,
        );
      stdout.write(undoneText(result, screen));
      stdout.write(violationLines(result.violations ?? [], screen.dim));
      const { input = 0, output = 0, estimated } = result.tokens_used ?? {};
      const spent = moneySpent(result.usd ?? 0, result.unpriced_models);
      const of = usdLimit === undefined ? "" : ` of $${usdLimit.toFixed(2)}`;
      const word = result.status === "success" ? screen.green("done") : "ended";
      if (result.deduplicated)
        stdout.write(
          `\n${screen.yellow("nothing was done again")}: this order was submitted before, and this is its result\n`,
        );
      const parts = [
        `${word} in ${(result.duration_ms / 1000).toFixed(1)} s`,
        `${estimated ? "about " : ""}${(input + output).toLocaleString("en-US")} tokens`,
        `${spent}${of}`,
        ...(result.over_budget ? [screen.yellow(overBudget(result.over_budget))] : []),
      ];
      if (result.values_off !== undefined) parts.push(screen.yellow(valuesOffText(result.values_off)));
      if (checked) parts.push(verdictOn(checked, screen));
      stdout.write(`\n${parts.join(dot)}\n`);
      if (result.status === "success" || result.status === "partial") stdout.write(effectsText(result, screen));
      stdout.write(refusedActsText(result, screen));
      if (result.response?.startsWith(scriptedEcho) && skill === "")
        stdout.write(`${screen.dim(fold(screen, onScript, 2))}\n`);
      const onward = waysOnward(result, sameWorkspace(invocation));
      if (onward.length > 0) stdout.write(`${screen.dim(besideOrBelow(screen, onward, `  ${dot}  `))}\n`);
    },
  };
}

const onScript =
  "no skill matched, and the scripted model only repeats: `writ skill list` shows the skills, a profile in writ.yaml brings a real model";

function waysOnward({ session_id, status, error_code, quarantine_id }: FlowResult, place: string): readonly string[] {
  const isHalted = error_code === "HALTED";
  const isInterrupted = error_code === "INTERRUPTED" && status === "canceled";
  const lift = isHalted ? [`which halts stand: writ halt${place}`, `end them: writ halt --lift${place}`] : [];
  if (session_id == null) return lift;
  const id = shortId(session_id, 6);
  return [
    ...lift,
    ...(status === "waiting" ? [`decide: writ inbox${place}`] : []),
    ...(status === "waiting" || isHalted ? [`then go on: writ session resume ${id}${place}`] : []),
    ...(isInterrupted ? [`go on: writ session resume ${id}${place}`] : []),
    `look closer: writ session show ${id}${place}`,
    ...(quarantine_id === undefined ? [] : [`what it wrote: writ turn quarantine show ${quarantine_id}${place}`]),
  ];
}

/** As many as a person reads at once. */
const shownViolations = 10;

function violationLines(violations: NonNullable<FlowResult["violations"]>, dim: (text: string) => string): string {
  if (violations.length < 2) return ""; // the error itself named it
  const lines = violations
    .slice(0, shownViolations)
    .map(({ path, expected, found }) => `  at ${path} expected ${oneLine(expected)}, found ${oneLine(found)}\n`);
  const hidden = violations.length - lines.length;
  return lines.join("") + (hidden > 0 ? dim(`  and ${hidden} more; --json shows all\n`) : "");
}
