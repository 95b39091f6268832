import type { WritConfig } from "#workspace";
import type { Approval, ApprovalKindName } from "./approval.ts";

export type Risk = "low" | "medium" | "high";

export interface RiskOf {
  readonly risk: Risk;
  /** The entry of `approvals.risks` that says so, in its words. */
  readonly reason: string | null;
}

/** What a yes risks: the first entry of `approvals.risks` that fits decides, else the kind of question. */
export function riskOf(question: Pick<Approval, "kind" | "subject">, risks: WritConfig["approvals"]["risks"]): RiskOf {
  const { kind, subject } = question;
  const tools = toolsIn(subject);
  const named = risks.find(
    (entry) =>
      (entry.kinds === undefined || entry.kinds.includes(kind)) &&
      (entry.tools === undefined || tools.some((tool) => entry.tools?.some((pattern) => fits(pattern, tool)))),
  );
  return named ? { risk: named.risk, reason: named.reason ?? null } : { risk: riskOfKind(question), reason: null };
}

/** The tools that a question is about, whatever its kind. */
function toolsIn({ tool, acts, name }: Approval["subject"]): readonly string[] {
  const own = [tool, name].filter((each): each is string => typeof each === "string");
  const held = Array.isArray(acts) ? acts : [];
  return own.concat(
    held.flatMap((act) =>
      typeof act === "object" && act !== null && "tool" in act && typeof act.tool === "string" ? [act.tool] : [],
    ),
  );
}

function fits(pattern: string, tool: string): boolean {
  return new RegExp(`^${pattern.split("*").map(escaped).join(".*")}$`, "s").test(tool);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.|?+()[\]{}]/g, "\\$&");
}

const plain: Record<Exclude<ApprovalKindName, "tool_call">, Risk> = {
  held_acts: "high", // no rule vouches for where its values come from
  in_doubt: "medium",
  quarantined_turn: "high",
  changed_tool: "high",
  held_step: "medium",
  escalated_review: "medium",
  gated_finding: "medium",
  workflow_wait: "medium",
  agent_question: "low",
  server_question: "medium",
  blocked_work: "low",
  refused_acts: "low",
};

/** What a yes risks by the kind of question alone: a call with sealed or doubtful values risks more than another. */
export function riskOfKind({ kind, subject }: Pick<Approval, "kind" | "subject">): Risk {
  if (kind !== "tool_call") return plain[kind];
  return subject["sealed"] !== undefined || subject["judged"] !== undefined ? "high" : "medium";
}
