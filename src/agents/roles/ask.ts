import { violationsOf } from "#core/contracts";
import { type DomainError, domainError } from "#core/errors";
import { err, type JsonValue, ok, parseJson, type Result } from "#core/values";
import { renderContract } from "#governance";
import type { OutputProblem } from "../models/check-output.ts";
import { Conversation, type Message } from "../models/conversation.ts";
import { stripCodeFence } from "../models/strip-code-fence.ts";
import type { AgentContext } from "./agent-context.ts";
import { converse, type Said, type Speaker } from "./converse.ts";
import type { Role } from "./role.ts";

/** A question to one agent: in which role, under which instructions, and what its answer must be. */
export interface Question {
  readonly role: Role;
  readonly agent_id: string;
  readonly instructions: string;
  readonly schema_id: string;
  /** What it is handed: JSON, never prose. */
  readonly handoff: JsonValue;
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
  const contract = context.contractOf?.(role);
  const rendered = contract && renderContract(contract, { ...context, input: context.input });
  if (rendered?.ok === false) return rendered;
  const background = rendered ? rendered.value.content : context.background;
  const speaker: Speaker = {
    role,
    agent_id,
    conversation: new Conversation(context.ids.sortable("CNV")),
    contract_id: contract?.contract_id ?? null,
    usesTools: question.usesTools ?? false,
    ...(question.stepId === undefined ? {} : { stepId: question.stepId }),
  };
  let messages: readonly Message[] = [
    { role: "system", content: systemPrompt(context, question.instructions, rendered?.value.system) },
    // What was read is data: it stands before the request and never where instructions stand.
    ...(background === "" ? [] : [{ role: "user" as const, content: background }]),
    { role: "user", content: JSON.stringify(question.handoff) },
  ];
  const made: string[] = [];
  for (let attempt = 0; ; attempt++) {
    const said = await converse(context, speaker, messages);
    if (!said.ok) return said;
    made.push(...said.value.toolCallsMade);
    const { problem } = said.value;
    const output = problem ? err(unlikeContract(problem)) : readOutput<T>(context, schema_id, said.value.text);
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

function times(count: number): string {
  if (count === 1) return "once";
  return count === 2 ? "twice" : `${count} times`;
}

function unlikeContract({ schema_id, message }: OutputProblem): DomainError {
  return domainError("SCHEMA_VIOLATION", message, { details: { schema_id } });
}

/** Role prompt, then what the framework's contract says, then the skill's text. */
function systemPrompt(context: AgentContext, instructions: string, contracted: string | undefined): string {
  const parts = [instructions.trim()];
  if (contracted !== undefined) parts.push(contracted.trim());
  if (context.instructions) parts.push(context.instructions);
  if (context.skill) parts.push(`# Skill: ${context.skill.id}\n\n${context.skill.body.trim()}`);
  return parts.join("\n\n");
}

/** JSON only: any prose around it is malformed. */
function readOutput<T>(context: AgentContext, schema_id: string, text: string): Result<T> {
  const parsed = parseJson(stripCodeFence(text));
  if (!parsed.ok) return parsed;
  return context.schemas.validate(schema_id, parsed.value) as Result<T>;
}
