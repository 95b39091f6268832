import { violationsOf } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, type JsonValue, ok, type Result } from "#core/values";
import { renderContract } from "#governance";
import { attachedFiles, attachedTexts } from "../conversation/attached.ts";
import { Conversation, type Message } from "../conversation/conversation.ts";
import { converse } from "../conversation/converse.ts";
import type { OutputProblem } from "../models/check-output.ts";
import { contractOf } from "../models/reader/contract-of.ts";
import { readAnswer } from "../models/reader/reader.ts";
import { recordRead } from "../models/reader/record-read.ts";
import type { AgentContext } from "./agent-context.ts";
import type { Role } from "./role.ts";
import { requestBlock } from "./role-data.ts";
import type { Said, Speaker } from "./speaker.ts";

/** A question to one agent: in which role, under which instructions, and what its answer must be. */
export interface Question {
  readonly role: Role;
  readonly agent_id: string;
  readonly instructions: string;
  readonly schema_id: string;
  /** What it is handed: JSON, never prose. */
  readonly handoff: JsonValue;
  /** Further data, each piece between marks of its own. */
  readonly data?: readonly string[];
  readonly usesTools?: boolean;
  readonly stepId?: string;
}

export interface Answer<T> extends Said {
  readonly agent_id: string;
  readonly output: T;
}

/** Asks an agent and takes only what the contract accepts. */
export async function ask<T>(context: AgentContext, question: Question): Promise<Result<Answer<T>>> {
  const { role, schema_id, agent_id } = question;
  const name = context.persona ?? role;
  const opening = openingMessages(context, question);
  if (!opening.ok) return opening;
  const speaker: Speaker = {
    role,
    agent_id,
    conversation: new Conversation(context.ids.sortable("CNV")),
    contract_id: opening.value.contract_id,
    usesTools: question.usesTools ?? false,
    answers: schema_id,
    ...(question.stepId === undefined ? {} : { stepId: question.stepId }),
  };
  let { messages } = opening.value;
  const made: string[] = [];
  for (let attempt = 0; ; attempt++) {
    const said = await converse(context, speaker, messages);
    if (!said.ok) return said;
    made.push(...said.value.toolCallsMade);
    const { problem } = said.value;
    const output = problem ? err(unlikeContract(problem)) : readOutput<T>(context, question, said.value);
    if (output.ok) return ok({ ...said.value, toolCallsMade: made, agent_id, output: output.value });
    if (!problem) {
      // The router has recorded where an answer falls short of its contract.
      const recorded = await context.recorder.append({
        type: "schema.violation",
        actor: role,
        payload: {
          schema_id,
          where: `output of the ${name}`,
          violations: violationsOf(output.error),
          message: output.error.message,
        },
      });
      if (!recorded.ok) return recorded;
    }
    const wanted = problem?.schema_id ?? schema_id;
    if (attempt >= context.limits.max_repairs)
      return err(
        domainError(
          "MALFORMED_AGENT_MESSAGE",
          `the ${name} ${times(attempt + 1)} answered with something that is not ${wanted}: ${output.error.message}`,
          {
            details: { role, schema_id: wanted, ...output.error.details },
          },
        ),
      );
    messages = [
      {
        role: "user",
        content: JSON.stringify({
          problem: `your last message is not valid ${wanted}`,
          violation: output.error.message,
          answer_with: "JSON only",
        }),
      },
    ];
  }
}

/** The request itself reaches every role, word for word: a paraphrase of it is another request. */
function dataFor(context: OpeningContext, { data = [] }: Pick<Question, "data">): readonly Message[] {
  const { brief, prompt, attached } = context;
  const pieces = [...(brief ? [requestBlock(prompt, brief), ...attachedTexts(context)] : []), ...data];
  if (pieces.length === 0) return [];
  return [{ role: "user", content: pieces.join("\n\n"), ...(brief ? attachedFiles(attached) : {}) }];
}

/** What a question is rendered from. */
export type OpeningContext = Pick<
  AgentContext,
  "contractOf" | "input" | "prompt" | "attached" | "background" | "instructions" | "skill" | "brief"
>;

/** The first messages to an agent, and the framework's contract that it speaks under, if there is one. */
export function openingMessages(
  context: OpeningContext,
  question: Pick<Question, "role" | "instructions" | "handoff" | "data">,
): Result<{ readonly contract_id: string | null; readonly messages: readonly Message[] }> {
  const contract = context.contractOf?.(question.role);
  const rendered = contract && renderContract(contract, { ...context, input: context.input });
  if (rendered?.ok === false) return rendered;
  const background = rendered ? rendered.value.content : context.background;
  return ok({
    contract_id: contract?.contract_id ?? null,
    messages: [
      { role: "system", content: systemPrompt(context, question.instructions, rendered?.value.system) },
      // What was read is data: it stands before the request and never where instructions stand.
      ...(background === "" ? [] : [{ role: "user" as const, content: background }]),
      ...dataFor(context, question),
      { role: "user", content: JSON.stringify(question.handoff) },
    ],
  });
}

function times(count: number): string {
  if (count === 1) return "once";
  return count === 2 ? "twice" : `${count} times`;
}

function unlikeContract({ schema_id, message }: OutputProblem): DomainError {
  return domainError("SCHEMA_VIOLATION", message, { details: { schema_id } });
}

/** Role prompt, then what the framework's contract says, then the skill's text. */
function systemPrompt(context: OpeningContext, instructions: string, contracted: string | undefined): string {
  const parts = [instructions.trim()];
  if (contracted !== undefined) parts.push(contracted.trim());
  if (context.instructions) parts.push(context.instructions);
  if (context.skill) parts.push(`# Skill: ${context.skill.id}\n\n${context.skill.body.trim()}`);
  return parts.join("\n\n");
}

/** The output by the role's own contract; what had to be overlooked to read it is recorded. */
function readOutput<T>(context: AgentContext, { schema_id, role }: Question, { text, request_id }: Said): Result<T> {
  const contract = contractOf(context.schemas, schema_id, schema_id);
  if (!contract.ok) return contract;
  const read = readAnswer(text, contract.value);
  if (!read.ok) return read;
  const recorded = recordRead(context.recorder, { request_id, role, schema_id, text }, read.value);
  return recorded.ok ? ok(read.value.value as T) : recorded;
}
