import type { Approval } from "./approval.ts";
import type { AnyApprovalKind } from "./approval-kind.ts";
import type { SelfApproval } from "./decide-approval.ts";
import type { Demands } from "./demands.ts";
import { escapeHiddenCharacters } from "./escape-hidden-characters.ts";
import type { Terms } from "./inbox-port.ts";
import type { Risk } from "./risk.ts";
import { type AnswerChoice, answersTo } from "./words.ts";

/** What would come of a yes, looked at now: the world goes on while a question waits. */
export interface Foreseen {
  /** What will happen, where that can be said better than when it was asked. */
  readonly title?: string;
  readonly change?: ForeseenChange;
  readonly program?: {
    readonly command: string;
    readonly cwd: string;
    readonly reads: readonly string[];
    readonly writes: readonly string[];
    readonly hosts: readonly string[];
  };
  /** Why it may no longer be what was asked for. */
  readonly stale: readonly string[];
  /** What the agent had read before, the newest last. */
  readonly read_before: readonly {
    readonly what: string;
    readonly trust: "trusted" | "untrusted";
    readonly sha256?: string;
  }[];
  /** The rules that want a person asked. */
  readonly asked_by: readonly { readonly rule: string; readonly where: string | null }[];
}

interface ForeseenChange {
  readonly path: string;
  readonly kind: "create" | "replace" | "edit";
  readonly removed: number;
  readonly added: number;
  /** Unified. */
  readonly difference: string;
  readonly is_cut: boolean;
}

/** Looks at what a question is about as it is now; with `whole` also at what led to it. */
export type Foresee = (approval: Approval, how: { readonly whole: boolean }) => Promise<Foreseen | undefined>;

/** A question in the one shape of all kinds. */
export interface Presented extends Approval {
  readonly answers: readonly AnswerChoice[];
  readonly on_silence: "denied" | "waits";
  readonly deciders: { readonly right: "approve"; readonly author_may: SelfApproval };
  readonly risk: Risk;
  readonly demands: Demands;
  readonly counts_at: string | null;
  readonly foreseen?: Omit<Foreseen, "title">;
}

export function present(
  approval: Approval,
  kind: Pick<AnyApprovalKind<Approval["kind"], never>, "needWords" | "studio" | "onExpiry">,
  { risk, demands, author_may, counts_at }: Terms,
  foreseen: Foreseen | undefined,
): Presented {
  const { title = approval.title, ...seen } = foreseen ?? {};
  return {
    ...approval,
    title,
    answers: answersTo(approval, { needWords: kind.needWords, labels: kind.studio.labels }),
    on_silence: kind.onExpiry === "nothing" ? "waits" : "denied",
    deciders: { right: "approve", author_may },
    risk,
    demands,
    counts_at,
    ...(foreseen ? { foreseen: shown(seen as Omit<Foreseen, "title">) } : {}),
  };
}

/** A difference is read like the bytes of the question: what hides in it is written out. */
function shown(foreseen: Omit<Foreseen, "title">): Omit<Foreseen, "title"> {
  const { change } = foreseen;
  if (!change) return foreseen;
  return { ...foreseen, change: { ...change, difference: escapeHiddenCharacters(change.difference).shown } };
}
