import { shippedRegistry } from "#core/contracts";
import { type Clock, createIds, type Result, type SessionId, seededRandom, sha256, systemClock } from "#core/values";
import { type Event, type EventLog, JsonlLog, type SessionLog } from "#log";
import { createRedactor } from "../../src/log/redaction/redactor.ts";

/** A log whose wall clock and chance are its own: the same calls give the same bytes. */
export function testLog(root: string, seed = 1): { log: JsonlLog; pass: (ms: number) => void } {
  let now = Date.UTC(2026, 10, 15, 10, 2, 0);
  const clock: Clock = { ...systemClock, now: () => now };
  const log = new JsonlLog({
    root,
    schemas: shippedRegistry(),
    redactor: value(createRedactor()),
    clock,
    ids: createIds(clock, seededRandom(seed)),
  });
  return { log, pass: (ms) => void (now += ms) };
}

export function value<T>(result: Result<T>): T {
  if (!result.ok)
    throw new Error(`${result.error.code}: ${result.error.message} ${JSON.stringify(result.error.details)}`);
  return result.value;
}

export interface GreetingOptions {
  /** How often the worker calls its tool. */
  readonly calls?: number;
  readonly name?: string;
  /** Ends before `session.close`. */
  readonly leaveOpen?: boolean;
  /** Adds a denied call. */
  readonly denied?: boolean;
  readonly pass?: (ms: number) => void;
}

/** A request as seed 002 tells it: lead, planner, worker with a tool, reviewer. */
export async function writeGreeting(log: EventLog, options: GreetingOptions = {}): Promise<SessionLog> {
  const { calls = 1, name = "Ada", pass = () => undefined } = options;
  const session = value(await log.create({ tier: "ho1" }));
  const work_order_id = "WO-20261115-001";
  const stage: SessionLog["stage"] = (event) => {
    pass(2);
    const staged = session.stage(event);
    value(staged);
    return staged;
  };
  const hook = (
    point: "SessionStart" | "UserPromptSubmit" | "PreToolUse" | "PostToolUse" | "Stop",
    decision: "allow" | "deny",
    handler: string,
    { reason, subject }: { readonly reason: string; readonly subject?: string },
  ) =>
    stage({
      type: "hook.fired",
      actor: "hooks",
      payload: { point, handler, decision, reason, duration_ms: 0.4, handlers: [], ...(subject ? { subject } : {}) },
    });
  const ask = (
    role: string,
    number: number,
    text: string,
    { tokens, ms }: { readonly tokens: readonly [number, number]; readonly ms: number },
  ) => {
    const request_id = `REQ-${role}-${number}`;
    stage({
      type: "llm.request",
      actor: role,
      payload: {
        request_id,
        role,
        provider: "scripted",
        model: "scripted-1",
        call: number,
        conversation_id: `CNV-${role}`,
        new_messages: [{ role: "user", content: `greet ${name}` }],
        message_count: 1,
        conversation_hash: sha256(role),
        request_hash: sha256(request_id),
      },
    });
    pass(ms);
    stage({
      type: "llm.response",
      actor: role,
      payload: {
        request_id,
        role,
        status: "ok",
        text,
        finish_reason: "stop",
        usage: { input_tokens: tokens[0], output_tokens: tokens[1], cost_usd: 0.0001 },
        model: "scripted-1",
        duration_ms: ms,
        response_hash: sha256(text),
      },
    });
  };
  const move = (actor: string, from: string, to: string) =>
    stage({ type: "agent.transition", actor, payload: { from, to } });

  value(
    await session.append({
      type: "session.start",
      actor: "flow",
      payload: {
        tier: "ho1",
        work_order_id,
        framework_id: "FMWK-005",
        prompt_hash: sha256("keyed"),
        provider: "scripted",
        profile: "demo",
        caller_id: "ada@local",
      },
    }),
  );
  hook("SessionStart", "allow", "none", { reason: "no handler" });
  hook("UserPromptSubmit", "allow", "redact-pii", { reason: "nothing to redact" });
  stage({
    type: "wo.started",
    actor: "flow",
    payload: {
      work_order_id,
      agent_id: "AGT-1",
      agent_class: "ADMIN",
      framework_id: "FMWK-005",
      tier: "ho1",
      work_order: { input: { prompt: `greet ${name}` } },
      work_order_hash: sha256("order"),
      session_id: session.session_id,
      created_at: "2026-11-15T10:02:00.000Z",
      caller_id: "ada@local",
      dev_mode: false,
    },
  });
  stage({
    type: "skill.invoke",
    actor: "skills",
    payload: {
      skill: "greet",
      source: "skills/greet/SKILL.md",
      reason: "the prompt says greet",
      allowed_tools: ["echo"],
    },
  });
  move("lead", "INTAKE", "LEAD");
  ask("lead", 1, `greet ${name} by name`, { tokens: [180, 32], ms: 98 });
  move("planner", "LEAD", "PLAN");
  ask("planner", 1, "1 step: s1 say hello through echo", { tokens: [260, 58], ms: 112 });
  move("worker", "PLAN", "WORK");
  ask("worker", 1, "", { tokens: [300, 40], ms: 90 });
  if (options.denied) {
    hook("PreToolUse", "deny", "deny-dangerous-tools", {
      reason: "fs.write is outside the skill greet",
      subject: "fs.write",
    });
    stage({
      type: "tool.refused",
      actor: "tools",
      payload: {
        call_id: "call-0",
        name: "fs.write",
        code: "GATE_DENIED",
        reason: "fs.write is outside the skill greet",
      },
    });
  }
  for (let call = 1; call <= calls; call++) {
    const call_id = `call-${call}`;
    hook("PreToolUse", "allow", "pre_tool_use_default", {
      reason: "echo is read-only and in the skill",
      subject: "echo",
    });
    value(
      await session.append({
        type: "tool.invoke",
        actor: "worker",
        payload: {
          call_id,
          name: "echo",
          args: { text: `Hello, ${name}` },
          args_hash: sha256(call_id),
          tool_hash: sha256("echo"),
          idempotency_key: `${call_id}-key`,
          attempt: 1,
          skill: "greet",
          work_order_id,
        },
      }),
    );
    pass(3);
    stage({
      type: "tool.result",
      actor: "worker",
      payload: { call_id, name: "echo", attempt: 1, status: "ok", result_hash: sha256("result"), duration_ms: 3 },
    });
    hook("PostToolUse", "allow", "none", { reason: "no handler", subject: "echo" });
    stage({
      type: "tool.output",
      actor: "worker",
      payload: {
        call_id,
        name: "echo",
        shown: true,
        is_error: false,
        trust: "trusted",
        content: { text: `Hello, ${name}` },
        content_hash: sha256("content"),
      },
    });
  }
  ask("worker", 2, `Hello, ${name}`, { tokens: [310, 30], ms: 80 });
  stage({
    type: "worker.report",
    actor: "worker",
    payload: {
      agent_id: "AGT-1-worker",
      output: `Hello, ${name}`,
      steps_completed: ["s1"],
      tool_calls_made: ["echo:call-1"],
      schema_version: "v1",
    },
  });
  move("reviewer", "WORK", "REVIEW");
  ask("reviewer", 1, "pass", { tokens: [240, 37], ms: 96 });
  stage({
    type: "review.result",
    actor: "reviewer",
    payload: {
      agent_id: "AGT-1-reviewer",
      author_id: "AGT-1-worker",
      verdict: "pass",
      feedback: "every step done, output addresses the intent",
      rework_count: 0,
      schema_version: "v1",
    },
  });
  hook("Stop", "deny", "stop-after-terminal", { reason: "the review passed" });
  move("flow", "REVIEW", "DONE");
  stage({ type: "skill.complete", actor: "skills", payload: { skill: "greet", ok: true } });
  const last = session.append({
    type: "wo.completed",
    actor: "flow",
    payload: {
      work_order_id,
      provenance: {},
      outcome: { status: "success" },
      context_fingerprint: {},
      tokens_used: null,
      duration_ms: 600,
      output: `Hello, ${name}`,
      verdict: "pass",
    },
  });
  value(await last);
  if (!options.leaveOpen) value(await session.close({ ok: true, status: "success" }));
  return session;
}

export async function eventsOf(reader: Pick<EventLog, "read">, session_id: SessionId): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const event of reader.read(session_id)) events.push(value(event));
  return events;
}
