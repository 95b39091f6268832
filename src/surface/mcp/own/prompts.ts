import type { Skills } from "#agents";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import { covers } from "#people";
import type { Workflows } from "#workflows";
import type { WritConfig } from "#workspace";
import type { McpPrompt, McpPromptArgument, McpPrompts, McpPromptText, PromptArguments } from "../offer/mcp-prompt.ts";
import { skillUri } from "./resources.ts";

export interface OwnPromptParts {
  readonly skills: Pick<Skills, "discover">;
  readonly workflows: Pick<Workflows, "inspect">;
  readonly config: Pick<WritConfig, "profiles">;
}

interface OwnPrompt extends McpPrompt {
  readonly textOf: (args: PromptArguments) => McpPromptText;
}

const request: McpPromptArgument = { name: "request", description: "What is to be done.", required: true };
const profile: McpPromptArgument = {
  name: "profile",
  description: "The profile of the workspace to do it with.",
  required: false,
};

/** A prompt for each skill and each cycle: it has the client submit the request to Writ, which does the work itself. */
export function ownPrompts(parts: OwnPromptParts): McpPrompts {
  return {
    async list(cursor, { caller }) {
      if (cursor !== undefined)
        return err(domainError("MALFORMED_INPUT", "the list of prompts has one page, and it begins without a cursor"));
      if (!covers(caller.grants, "read")) return ok({ items: [] });
      const found = await allPrompts(parts);
      return found.ok ? ok({ items: found.value.map(({ textOf: _, ...prompt }) => prompt) }) : found;
    },
    async get(name, args, { caller }) {
      if (!covers(caller.grants, "read"))
        return err(domainError("NOT_AUTHORIZED", `${caller.id} may not do this: no role of theirs grants "read"`));
      const found = await allPrompts(parts);
      if (!found.ok) return found;
      const prompt = found.value.find((each) => each.name === name);
      if (!prompt) return err(domainError("NOT_FOUND", `there is no prompt ${JSON.stringify(name)}`));
      const missing = prompt.arguments.find((each) => each.required && !Object.hasOwn(args, each.name));
      if (missing)
        return err(domainError("MALFORMED_INPUT", `the prompt "${name}" needs the argument "${missing.name}"`));
      return ok(prompt.textOf(args));
    },
    async completions({ prompt, name, begins }, { caller }) {
      const found = await allPrompts(parts);
      if (!found.ok) return found;
      if (!found.value.some((each) => each.name === prompt))
        return err(domainError("MALFORMED_INPUT", `there is no prompt ${JSON.stringify(prompt)}`));
      if (name !== profile.name || !covers(caller.grants, "read")) return ok([]);
      return ok(Object.keys(parts.config.profiles).filter((each) => each.startsWith(begins)));
    },
  };
}

async function allPrompts({ skills, workflows }: OwnPromptParts): Promise<Result<readonly OwnPrompt[]>> {
  const found = await skills.discover();
  if (!found.ok) return found;
  const inspected = await workflows.inspect();
  if (!inspected.ok) return inspected;
  const ofSkills = found.value.skills.map(
    ({ id, description, body }): OwnPrompt => ({
      name: `skill/${id}`,
      title: id,
      description,
      arguments: [request, profile],
      textOf: (args) => ({
        kind: "prompt",
        description,
        messages: [
          text(submission("submit_request", { prompt: args["request"], skill: id, profile: args["profile"] })),
          {
            role: "user",
            content: { type: "resource", resource: { uri: skillUri(id), mimeType: "text/markdown", text: body } },
          },
        ],
      }),
    }),
  );
  const ofCycles = [...inspected.value.cycles.values()].map(
    ({ id, definition }): OwnPrompt => ({
      name: `cycle/${id}`,
      title: definition.data.title ?? id,
      ...(definition.data.title === undefined ? {} : { description: definition.data.title }),
      arguments: [request, profile],
      textOf: (args) => ({
        kind: "prompt",
        messages: [text(submission("run_cycle", { cycle_id: id, prompt: args["request"], profile: args["profile"] }))],
      }),
    }),
  );
  return ok([...ofSkills, ...ofCycles]);
}

function submission(tool: string, args: Readonly<Record<string, string | undefined>>): string {
  return `Call the tool ${tool} of Writ with exactly these arguments, then tell what came of it:\n${JSON.stringify(args, null, 2)}`;
}

function text(of: string) {
  return { role: "user" as const, content: { type: "text", text: of } };
}
