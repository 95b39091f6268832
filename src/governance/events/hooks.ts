import type { EventKinds } from "#log";

const stateOf = { allow: undefined, transform: undefined, deny: "denied", ask: "waiting" } as const;

export const hookKinds: EventKinds<"hook.fired"> = {
  "hook.fired": {
    replay: "by cause",
    /** A denial is a line when it happens; an allowance stands beside the call that it allowed. */
    story: (payload, so) => {
      const { point, decision, handler, reason, subject = point } = payload;
      const isCall = point === "PreToolUse";
      if (isCall) so.gate = payload;
      if (point === "Stop" || decision === "allow") return [];
      const { pen } = so;
      const verb = {
        transform: pen.yellow(`rewritten by ${handler}`),
        ask: pen.yellow(`${handler} asks a person`),
        deny: pen.red(`denied by ${handler}`),
      }[decision];
      const what = pen.call(subject, isCall ? so.wanted.get(subject) : undefined);
      return [
        { who: isCall ? so.speaker : "you", what, right: verb },
        { who: "", what: pen.dim(`rule: ${pen.line(reason)}`), right: "" },
      ];
    },
    row: {
      lane: "gates",
      depth: ({ point }) => (/ToolUse/.test(point) ? 2 : 0),
      text: ({ point, decision, handler, reason, duration_ms }) => {
        const isStop = point === "Stop";
        const state = isStop ? undefined : stateOf[decision];
        return {
          subject: point,
          text: handler === "none" ? "no hook asked" : `${handler}: ${reason}`,
          // Stop asks whether the loop may go on: "deny" is its normal end, not a refusal.
          decision: isStop && decision === "deny" ? "ends here" : decision,
          durationMs: duration_ms,
          ...(state ? { state } : {}),
        };
      },
      entry: ({ point, subject, decision, handler, reason, duration_ms }) => {
        const mark = { by: handler, reason };
        if (point === "PreToolUse" && subject !== undefined && (decision === "allow" || decision === "transform"))
          return { as: "permit", name: subject, gate: { decision, ...mark } };
        const isStop = point === "Stop";
        const said = isStop && decision === "deny" ? "ends" : isStop && decision === "allow" ? "again" : decision;
        return {
          as: "row",
          sign: "gate",
          text: isStop ? "Stop: may the loop go on?" : subject ? `${point} ${subject}` : point,
          gate: { decision: said, ...mark },
          durationMs: duration_ms,
          ...(decision === "deny" && !isStop ? { isBad: true } : {}),
        };
      },
    },
    isProblem: ({ point, decision }) => decision === "deny" && point !== "Stop",
  },
};
