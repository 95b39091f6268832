import { isJsonObject } from "#core/values";
import type { Event } from "#log";

/**
 * Whether each gate was asked about what it guards: SessionStart and UserPromptSubmit before an order starts, SkillStart
 * before anything runs under a skill, PostToolUse before a result is shown, Stop before the loop goes anywhere from a
 * review. PreToolUse is judged with its call, since a person may have allowed it.
 */
export class AskedGates {
  /** Decisions that nothing has been let through by yet, by point and subject. */
  readonly #decisions = new Map<string, number>();
  /** Skills that were announced and not asked about. */
  readonly #skills = new Set<string>();
  /** The first logs name no law and ask no SkillStart. */
  #isPinned = false;

  /** What this event went past without asking; undefined when all is well. */
  add(event: Event): string | undefined {
    switch (event.type) {
      case "session.start":
        this.#isPinned = event.payload.pinned !== undefined;
        return undefined;
      case "hook.fired":
        this.#decide(event);
        return undefined;
      case "wo.started":
        return this.#start(event);
      case "skill.invoke":
        if (this.#isPinned) this.#skills.add(event.payload.skill);
        return undefined;
      case "llm.request":
      case "tool.invoke":
        return this.#act();
      case "tool.output": {
        const { shown, name, call_id } = event.payload;
        if (!shown || this.#take(keyOf("PostToolUse", name))) return undefined;
        return `the result of ${name} (${call_id}) was shown without a PostToolUse decision`;
      }
      case "agent.transition": {
        const { from, to } = event.payload;
        if (from !== "REVIEW" || this.#take("Stop")) return undefined;
        return `the request went from REVIEW to ${to} without a Stop decision`;
      }
      default:
        return undefined;
    }
  }

  #decide({ payload: { point, subject } }: Event<"hook.fired">): void {
    if (point === "SkillStart" && subject !== undefined) this.#skills.delete(subject);
    const key = point === "PostToolUse" && subject !== undefined ? keyOf(point, subject) : point;
    this.#decisions.set(key, (this.#decisions.get(key) ?? 0) + 1);
  }

  #start({ payload }: Event<"wo.started">): string | undefined {
    const { work_order_id, work_order } = payload;
    if (!this.#take("SessionStart")) return `the work order ${work_order_id} started without a SessionStart decision`;
    const input = isJsonObject(work_order) ? work_order["input"] : undefined;
    const hasPrompt = isJsonObject(input) && typeof input["prompt"] === "string" && input["prompt"] !== "";
    if (!hasPrompt || this.#take("UserPromptSubmit")) return undefined;
    return `the work order ${work_order_id} started without a UserPromptSubmit decision on its prompt`;
  }

  #act(): string | undefined {
    const [skill] = this.#skills;
    if (skill === undefined) return undefined;
    this.#skills.clear();
    return `the skill ${skill} was acted under without a SkillStart decision`;
  }

  #take(key: string): boolean {
    const count = this.#decisions.get(key) ?? 0;
    if (count > 0) this.#decisions.set(key, count - 1);
    return count > 0;
  }
}

function keyOf(point: string, subject: string): string {
  return `${point} ${subject}`;
}
