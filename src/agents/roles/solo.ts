import { violationsOf } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { renderContract } from "#governance";
import { withAttached } from "../conversation/attached.ts";
import { Conversation, type Message } from "../conversation/conversation.ts";
import { converse } from "../conversation/converse.ts";
import { type GoingOn, goOn } from "../conversation/history.ts";
import { contractOf } from "../models/reader/contract-of.ts";
import { readAnswer } from "../models/reader/reader.ts";
import { recordRead } from "../models/reader/record-read.ts";
import { catalogueIn, skillCatalogue } from "../skills/catalogue.ts";
import type { Skill } from "../skills/skill.ts";
import type { AgentContext } from "./agent-context.ts";
import { leftToDo, notDoneYet } from "./may-end.ts";
import { reviewAnswer } from "./review.ts";
import type { Said, Speaker } from "./speaker.ts";

/** What one agent is to do, and what its system message holds besides. */
export interface SoloTask {
  readonly agent_id: string;
  /** Skills that it may load, where it has the tool for that. */
  readonly skills: readonly Skill[];
  /** Further parts of the system message, in their order: house rules, the environment. */
  readonly notes: readonly string[];
  /** Makes the answer a document: a JSON Schema, or the id of one. */
  readonly output_schema?: string | object | undefined;
  /** Whether the order is one that another handed down. */
  readonly isSubagent?: boolean;
  /** Whether another agent judges what was done before the answer counts. */
  readonly isReviewed?: boolean;
  /** The conversation that it goes on with. */
  readonly goesOn?: GoingOn;
  /** Messages that arrived since its last request. */
  readonly arriving?: NonNullable<Speaker["arriving"]>;
}

export interface SoloAnswer extends Pick<Said, "undone" | "toolCallsMade"> {
  readonly text: string;
  readonly review?: { readonly verdict: "pass" | "fail"; readonly feedback: string };
}

/**
 * One agent, its tools and the person's words: the system message, what was read as data, then the request verbatim. The order
 * of the messages is the order of their lifetimes, so that a provider's cache holds as long as possible.
 */
export async function solo(context: AgentContext, task: SoloTask): Promise<Result<SoloAnswer>> {
  const instructions = await context.rolePrompt("solo");
  if (!instructions.ok) return instructions;
  const opening = soloOpening(context, task, instructions.value);
  if (!opening.ok) return opening;
  const speaker: Speaker = {
    role: "solo",
    agent_id: task.agent_id,
    conversation: new Conversation(context.ids.sortable("CNV")),
    contract_id: opening.value.contract_id,
    usesTools: true,
    maxCalls: context.limits.max_solo_calls,
    cutsResults: true,
    ...(task.output_schema === undefined ? {} : { answers: task.output_schema }),
    ...(task.arriving ? { arriving: task.arriving } : {}),
  };
  const { messages: said } = opening.value;
  const messages = task.goesOn ? goOn(context, speaker.conversation, said, task.goesOn) : ok(said);
  if (!messages.ok) return messages;
  const answered = await untilItMayEnd(context, speaker, task, messages.value);
  // What was refused or failed needs no reviewer to be found.
  if (!answered.ok || !task.isReviewed || answered.value.undone.length > 0) return answered;
  const review = await reviewAnswer(context, task.agent_id, answered.value.text);
  return review.ok ? ok({ ...answered.value, review: review.value }) : review;
}

/** What the first messages are made of. */
type OpeningContext = Pick<
  AgentContext,
  | "contractOf"
  | "input"
  | "prompt"
  | "attached"
  | "background"
  | "instructions"
  | "skill"
  | "tools"
  | "limits"
  | "schemas"
>;

/** The first messages of an agent that works alone, and the framework's contract that it speaks under, if there is one. */
export function soloOpening(
  context: OpeningContext,
  task: Pick<SoloTask, "skills" | "notes" | "output_schema" | "goesOn">,
  instructions: string,
): Result<{ readonly contract_id: string | null; readonly messages: readonly Message[] }> {
  const contract = context.contractOf?.("solo");
  const rendered = contract && renderContract(contract, { ...context, input: context.input });
  if (rendered?.ok === false) return rendered;
  const skill = context.skill ? [`# Skill: ${context.skill.id}\n\n${context.skill.body.trim()}`] : [];
  const catalogue = catalogueFor(context, task);
  const system = [
    instructions.trim(),
    ...(rendered?.value.system === undefined ? [] : [rendered.value.system.trim()]),
    ...(context.instructions ? [context.instructions] : []),
    ...catalogue.inSystem,
    ...task.notes,
    ...(task.output_schema === undefined ? [] : [documentWanted(context, task.output_schema)]),
  ];
  // What only this request asks for follows the instructions: those stay what they are in a conversation that goes on, and with
  // them what a provider's cache holds.
  const before = [...catalogue.before, ...skill].map((content) => ({ role: "user" as const, content }));
  const asked: readonly Message[] = rendered
    ? withAttached(rendered.value.content, context.attached)
    : [
        ...(context.background === "" ? [] : [{ role: "user" as const, content: context.background }]),
        ...withAttached(context.prompt, context.attached),
      ];
  return ok({
    contract_id: contract?.contract_id ?? null,
    messages: [{ role: "system", content: system.join("\n\n") }, ...before, ...asked],
  });
}

/**
 * The list of skills stands once in a conversation: in its instructions, or, where its first request could load none, before the
 * first that can. Instructions that have it keep it word for word.
 */
function catalogueFor(
  { tools, prompt, limits }: OpeningContext,
  { skills, goesOn }: Pick<SoloTask, "skills" | "goesOn">,
): { readonly inSystem: readonly string[]; readonly before: readonly string[] } {
  const [first, ...later] = goesOn?.history.messages ?? [];
  const kept = first?.role === "system" ? catalogueIn(first.content) : undefined;
  const nothing = { inSystem: kept === undefined ? [] : [kept], before: [] };
  if (kept !== undefined || !tools.some(({ name }) => name === "skill.load")) return nothing;
  if (later.some(({ role, content }) => role === "user" && catalogueIn(content) === content)) return nothing;
  const catalogue = skillCatalogue(skills, prompt, limits.context_tokens);
  if (catalogue === "") return nothing;
  return goesOn ? { inSystem: [], before: [catalogue] } : { inSystem: [catalogue], before: [] };
}

/** A hook at Stop may find that there is something left to do: then the agent goes on, and what it answers next is its answer. */
async function untilItMayEnd(
  context: AgentContext,
  speaker: Speaker,
  task: SoloTask,
  opening: readonly Message[],
): Promise<Result<SoloAnswer>> {
  let messages = opening;
  const made: string[] = [];
  const undone: Said["undone"][number][] = [];
  for (let times = 0; ; times++) {
    const answered = await untilAccepted(context, speaker, task, messages);
    if (!answered.ok) return answered;
    const { text } = answered.value;
    made.push(...answered.value.toolCallsMade);
    undone.push(...answered.value.undone);
    const left = await leftToDo(context, { answer: text, times, isSubagent: task.isSubagent === true });
    if (!left.ok) return left;
    if (left.value === undefined) return ok({ text, toolCallsMade: made, undone });
    messages = [{ role: "user", content: notDoneYet(left.value) }];
  }
}

/** Converses until the answer is what the order's schema asks for, within the rounds of repair. Text is accepted as it is. */
async function untilAccepted(
  context: AgentContext,
  speaker: Speaker,
  { output_schema }: SoloTask,
  opening: readonly Message[],
): Promise<Result<SoloAnswer>> {
  let messages = opening;
  const made: string[] = [];
  const left: Said["undone"][number][] = [];
  for (let attempt = 0; ; attempt++) {
    const said = await converse(context, speaker, messages);
    if (!said.ok) return said;
    made.push(...said.value.toolCallsMade);
    left.push(...said.value.undone);
    const { problem } = said.value;
    const read = problem
      ? err(domainError("SCHEMA_VIOLATION", problem.message))
      : readDocument(context, said.value, output_schema);
    if (read.ok) return ok({ text: read.value, toolCallsMade: made, undone: left });
    const wanted = problem?.schema_id ?? nameOf(output_schema);
    if (!problem) {
      const recorded = context.recorder.stage({
        type: "schema.violation",
        actor: speaker.role,
        payload: {
          schema_id: wanted,
          where: "answer of the agent",
          violations: violationsOf(read.error),
          message: read.error.message,
        },
      });
      if (!recorded.ok) return recorded;
    }
    if (attempt >= context.limits.max_repairs)
      return err(
        domainError(
          "MALFORMED_AGENT_MESSAGE",
          `the agent answered ${attempt + 1} times with something that is not ${wanted}: ${read.error.message}`,
          { details: { role: speaker.role, schema_id: wanted, ...read.error.details } },
        ),
      );
    const repair = { problem: `your last message is not valid ${wanted}`, violation: read.error.message };
    messages = [{ role: "user", content: JSON.stringify({ ...repair, answer_with: "JSON only" }) }];
  }
}

function readDocument(
  context: AgentContext,
  { text, request_id }: Said,
  schema: SoloTask["output_schema"],
): Result<string> {
  if (schema === undefined) return ok(text);
  const schema_id = nameOf(schema);
  const contract = contractOf(context.schemas, schema, schema_id);
  if (!contract.ok) return contract;
  const read = readAnswer(text, contract.value);
  if (!read.ok) return read;
  const recorded = recordRead(context.recorder, { request_id, role: "solo", schema_id, text }, read.value);
  return recorded.ok ? ok(JSON.stringify(read.value.value)) : recorded;
}

function nameOf(schema: SoloTask["output_schema"]): string {
  return typeof schema === "string" ? schema : "io_schema.output_schema";
}

function documentWanted({ schemas }: OpeningContext, schema: string | object): string {
  const known = typeof schema === "string" ? schemas.schema(schema) : ok(schema);
  return `# Answer\n\nYour last message is JSON only, valid by this schema:\n\n${JSON.stringify(known.ok ? known.value : schema)}`;
}
