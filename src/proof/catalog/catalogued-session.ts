import { isJsonObject } from "#core/values";
import { type Event, recordedPrompt, type SessionInfo } from "#log";
import { type Answers, AnswersFold, type Standing, stateOf } from "#log/answers";

/** Requests; those that were refused before they began; and what the workspace records by itself: answers of people, refused orders, acts of the kill switch. */
export type SessionKind = "work" | "decision" | "rejection" | "halt" | "record";

/** What a list shows of a session beyond its ends. */
export interface Shown {
  readonly asked: string | null;
  readonly caller: string | null;
  readonly cycle_id: string | null;
  readonly skills: readonly string[];
  readonly tokens: number;
  readonly usd: number;
  readonly standing: Standing;
  /** Of each answer the number, and the first names. */
  readonly allowed_by: Summary;
  readonly saw: Summary;
  readonly wrote: Summary;
}

export interface Summary {
  readonly count: number;
  readonly first: readonly string[];
}

/** A session as the catalog keeps it: what is shown, and what it is found by. */
export interface CataloguedSession {
  readonly info: SessionInfo;
  readonly kind: SessionKind;
  /** By its record alone; `open` until it closed. */
  readonly outcome: string;
  /** Null until its events were folded. */
  readonly shown: Shown | null;
  readonly tools: readonly string[];
  readonly allowed: string;
  readonly saw: string;
  readonly wrote: string;
  /** All words that it is found by, in lower case. */
  readonly words: string;
  /** Decisions of policies that only watched; null where none did. */
  readonly shadows: string | null;
}

const mostText = 4_000;
const mostWords = 8_000;
const firstNames = 3;
/** The order is recorded among the first events, or not at all. */
const opening = 32;

/** Gathers what the catalog keeps of one session, from its events in their order. */
export class CatalogFold {
  readonly #answers = new AnswersFold();
  readonly #first: Event[] = [];
  readonly #skills = new Set<string>();
  readonly #tools = new Set<string>();
  readonly #watched: Event[] = [];
  #watches = false;
  #cycle: string | null = null;
  #output = "";

  add(event: Event): void {
    this.#answers.add(event);
    if (this.#first.length < opening) this.#first.push(event);
    switch (event.type) {
      case "skill.invoke":
        this.#skills.add(event.payload.skill);
        break;
      case "workflow.started":
        this.#cycle = event.payload.cycle_id;
        break;
      case "wo.completed":
      case "wo.failed":
        this.#output = event.payload.output ?? "";
        break;
      case "tool.invoke":
      case "tool.refused":
        this.#tools.add(event.payload.name);
        if ((event.payload.shadow ?? []).length > 0) this.#watch(event);
        break;
      case "workflow.policy_gated":
      case "workflow.entered":
        if (event.type === "workflow.policy_gated" && event.payload.shadow === true) this.#watches = true;
        this.#watched.push(event);
        break;
      default:
    }
  }

  catalogued(info: SessionInfo, shadowsOf: (events: readonly Event[]) => readonly object[]): CataloguedSession {
    const answers = this.#answers.answers();
    const standing = this.#answers.standing();
    const [start] = this.#first;
    const begun = start?.type === "session.start" ? start.payload : undefined;
    const asked = recordedPrompt(this.#first);
    const caller = begun?.caller_id ?? null;
    const kind = kindOf(info, begun?.framework_id);
    const decided = this.#watches ? shadowsOf(this.#watched) : [];
    const { allowed, saw, wrote } = namesIn(answers);
    const words = [info.session_id, info.work_order_id ?? "", asked ?? "", caller ?? "", this.#cycle ?? ""];
    return {
      info,
      kind,
      outcome: info.closed ? stateOf(info, standing, { atWork: false, asked: false }) : "open",
      shown: {
        asked: asked === null ? null : cut(asked, 120),
        caller,
        cycle_id: this.#cycle,
        skills: [...this.#skills],
        tokens: answers.cost.input + answers.cost.output,
        usd: answers.cost.usd,
        standing,
        allowed_by: summary(allowed, answers.allowed_by.count),
        saw: summary(saw, answers.saw.count),
        wrote: summary(wrote, answers.wrote.count),
      },
      tools: [...this.#tools].slice(0, 100),
      allowed: cut(allowed.join("\n"), mostText),
      saw: cut(saw.join("\n"), mostText),
      wrote: cut(wrote.join("\n"), mostText),
      words: cut(
        [...words, ...wrote, ...this.#tools, ...saw, cut(this.#output, 2_000)].join("\n").toLowerCase(),
        mostWords,
      ),
      shadows: decided.length > 0 ? JSON.stringify(decided) : null,
    };
  }

  #watch(event: Event): void {
    this.#watches = true;
    this.#watched.push(event);
  }
}

/** A session of which only the ends are known yet. */
export function unread(info: SessionInfo): CataloguedSession {
  const kind = kindOf(info, info.work_order_id?.startsWith("WO-") ? "" : undefined);
  const outcome = info.closed ? (info.ok === true ? "done" : "failed") : "open";
  const words = `${info.session_id}\n${info.work_order_id ?? ""}`.toLowerCase();
  return { info, kind, outcome, shown: null, tools: [], allowed: "", saw: "", wrote: "", words, shadows: null };
}

function kindOf({ work_order_id, status }: SessionInfo, framework_id: string | undefined): SessionKind {
  if (status === "rejected") return "rejection";
  if (framework_id !== undefined) return "work";
  if (work_order_id === "approval") return "decision";
  if (work_order_id === "intake") return "rejection";
  return work_order_id === "halt" ? "halt" : "record";
}

function namesIn({
  allowed_by,
  saw,
  wrote,
}: Answers): Readonly<Record<"allowed" | "saw" | "wrote", readonly string[]>> {
  const unique = (names: readonly string[]) => [...new Set(names)];
  const rules = [...allowed_by.items].sort((a, b) => rank(a.kind) - rank(b.kind));
  const seen = [...saw.items].sort((a, b) => Number(a.kind !== "file") - Number(b.kind !== "file"));
  return {
    allowed: unique(rules.map(({ rule }) => rule)),
    saw: unique(seen.map(({ name }) => name)),
    wrote: unique(wrote.items.map(({ path }) => path)),
  };
}

/** People and policies say more of a session than the gates that all pass. */
function rank(kind: Answers["allowed_by"]["items"][number]["kind"]): number {
  return ["person", "policy", "values", "skill", "framework", "order", "right", "hook"].indexOf(kind);
}

function summary(names: readonly string[], count: number): Summary {
  return { count, first: names.slice(0, firstNames).map((name) => cut(name, 80)) };
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** A row's text back as what is shown; null where it is not what this Writ writes. */
export function shownOf(text: string | null): Shown | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? (value as unknown as Shown) : null;
  } catch {
    return null; // it is folded again
  }
}
