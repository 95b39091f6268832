import { domainError } from "../../../src/core/errors/index.ts";
import { err, type JsonObject, ok, type Result } from "../../../src/core/values/index.ts";
import type { McpAnswer, McpContent, McpQuestion } from "../../../src/surface/mcp/offer/mcp-answer.ts";
import type { McpList } from "../../../src/surface/mcp/offer/mcp-offer.ts";
import type { McpRequest } from "../../../src/surface/mcp/offer/mcp-request.ts";
import type { McpTool } from "../../../src/surface/mcp/offer/mcp-tool.ts";
import type { FixtureTasks } from "./fixture-tasks.ts";

/** One red pixel. */
export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
/** A WAV without a sample. */
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

export const text = (of: string): JsonObject => ({ type: "text", text: of });
export const image: JsonObject = { type: "image", data: png, mimeType: "image/png" };
const content = (...blocks: readonly JsonObject[]): Result<McpContent> => ok({ kind: "content", content: blocks });

/** A tool as the judge prescribes it. */
export interface Row {
  readonly input?: JsonObject;
  readonly asTask?: McpTool["asTask"];
  readonly call: (args: JsonObject, request: McpRequest) => Promise<Result<McpAnswer>> | Result<McpAnswer>;
}

export const form = (message: string, properties: JsonObject, required = Object.keys(properties)): McpQuestion => ({
  method: "elicitation/create",
  params: { mode: "form", message, requestedSchema: { type: "object", properties, required } },
});
const sample = (words: string): McpQuestion => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: words } }], maxTokens: 100 },
});
const roots: McpQuestion = { method: "roots/list" };
const ask = (questions: Readonly<Record<string, McpQuestion>>, keep?: JsonObject): Result<McpAnswer> =>
  ok({ kind: "questions", questions, ...(keep ? { keep } : {}) });

type Elicited = { readonly action?: string; readonly content?: JsonObject };
const elicited = (request: McpRequest, name: string) => request.answers[name] as Elicited | undefined;
/** The content of an accepted form with text under this name; undefined asks again. */
export const told = (request: McpRequest, name: string, field: string): string | undefined => {
  const given = elicited(request, name);
  const value = given?.action === "accept" ? given.content?.[field] : undefined;
  return typeof value === "string" ? value : undefined;
};

/** A tool that asks one form and says what came. */
const asksOnce = (name: string, question: (args: JsonObject) => McpQuestion, says: string): Row => ({
  input: { type: "object", properties: { message: { type: "string" } } },
  call: (args, request) => {
    const given = elicited(request, name);
    if (!given) return ask({ [name]: question(args) });
    return content(text(`${says}: action=${given.action}, content=${JSON.stringify(given.content ?? {})}`));
  },
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** By name. */
export function fixtureTools(tasks: FixtureTasks, tell: (list: McpList) => void): Readonly<Record<string, Row>> {
  return {
    test_simple_text: { call: () => content(text("This is a simple text response for testing.")) },
    test_image_content: { call: () => content(image) },
    test_audio_content: { call: () => content({ type: "audio", data: wav, mimeType: "audio/wav" }) },
    test_embedded_resource: {
      call: () =>
        content({
          type: "resource",
          resource: {
            uri: "test://embedded-resource",
            mimeType: "text/plain",
            text: "This is an embedded resource content.",
          },
        }),
    },
    test_multiple_content_types: {
      call: () =>
        content(text("Multiple content types test:"), image, {
          type: "resource",
          resource: {
            uri: "test://mixed-content-resource",
            mimeType: "application/json",
            text: '{"test":"data","value":123}',
          },
        }),
    },
    test_error_handling: {
      call: () => err(domainError("TOOL_ERROR", "This tool intentionally returns an error for testing")),
    },
    test_tool_with_logging: {
      call: async (_, { log }) => {
        for (const step of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
          await log("info", step);
          await pause(20);
        }
        return content(text("Tool with logging executed successfully"));
      },
    },
    test_logging_tool: {
      call: async (_, { log }) => {
        await log("info", "only for a request that named a level");
        return content(text("logged"));
      },
    },
    test_tool_with_progress: {
      call: async (_, { progress }) => {
        for (const done of [0, 50, 100]) {
          await progress({ progress: done, total: 100, message: `Completed step ${done} of 100` });
          await pause(20);
        }
        return content(text("done"));
      },
    },
    test_reconnection: {
      call: async () => {
        await pause(100);
        return content(text("Reconnection test completed successfully."));
      },
    },
    test_sampling: {
      input: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
      call: ({ prompt }, request) => {
        const given = request.answers["llm"] as { readonly content?: { readonly text?: string } } | undefined;
        return given
          ? content(text(`LLM response: ${given.content?.text ?? "none"}`))
          : ask({ llm: sample(String(prompt)) });
      },
    },
    test_elicitation: asksOnce(
      "user",
      ({ message }) => form(String(message), { response: { type: "string", description: "User's response" } }),
      "User response",
    ),
    test_elicitation_sep1034_defaults: asksOnce(
      "user",
      () =>
        form(
          "Please review and update the form fields with defaults",
          {
            name: { type: "string", default: "John Doe" },
            age: { type: "integer", default: 30 },
            score: { type: "number", default: 95.5 },
            status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
            verified: { type: "boolean", default: true },
          },
          [],
        ),
      "Elicitation completed",
    ),
    test_elicitation_sep1330_enums: asksOnce(
      "user",
      () => {
        const plain = ["option1", "option2", "option3"];
        const titled = plain.map((_, index) => ({ const: `value${index + 1}`, title: `Choice ${index + 1}` }));
        return form(
          "Please select options from the enum fields",
          {
            untitledSingle: { type: "string", enum: plain },
            titledSingle: { type: "string", oneOf: titled },
            legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["One", "Two", "Three"] },
            untitledMulti: { type: "array", minItems: 1, maxItems: 3, items: { type: "string", enum: plain } },
            titledMulti: { type: "array", minItems: 1, maxItems: 3, items: { anyOf: titled } },
          },
          [],
        );
      },
      "Elicitation completed",
    ),
    json_schema_2020_12_tool: {
      input: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        $defs: {
          address: {
            $anchor: "addressDef",
            type: "object",
            properties: { street: { type: "string" }, city: { type: "string" } },
          },
        },
        properties: {
          name: { type: "string" },
          address: { $ref: "#/$defs/address" },
          contactMethod: { type: "string", enum: ["phone", "email"] },
          phone: { type: "string" },
          email: { type: "string" },
        },
        allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
        if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
        // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
        then: { required: ["phone"] },
        else: { required: ["email"] },
        additionalProperties: false,
      },
      call: (args) => content(text(JSON.stringify(args))),
    },
    test_x_mcp_header: {
      input: {
        type: "object",
        properties: { region: { type: "string", "x-mcp-header": "Region" }, level: { type: "integer" } },
      },
      call: ({ region }) => content(text(`region=${String(region ?? "")}`)),
    },
    test_missing_capability: {
      call: (_, request) => (request.answers["llm"] ? content(text("sampled")) : ask({ llm: sample("ping") })),
    },
    test_streaming_elicitation: { call: () => content(text("no request of its own on this stream")) },
    test_input_required_result_elicitation: {
      call: (_, request) => {
        const name = told(request, "user_name", "name");
        return name === undefined
          ? ask({ user_name: form("What is your name?", { name: { type: "string" } }) })
          : content(text(`Hello, ${name}!`));
      },
    },
    test_input_required_result_sampling: {
      call: (_, request) => {
        const given = request.answers["capital_question"] as
          | { readonly content?: { readonly text?: string } }
          | undefined;
        return given
          ? content(text(given.content?.text ?? ""))
          : ask({ capital_question: sample("What is the capital of France?") });
      },
    },
    test_input_required_result_list_roots: {
      call: (_, request) =>
        request.answers["client_roots"]
          ? content(text(JSON.stringify(request.answers["client_roots"])))
          : ask({ client_roots: roots }),
    },
    test_input_required_result_request_state: {
      call: (_, request) => {
        const given = elicited(request, "confirm");
        return given && request.kept
          ? content(text("state-ok"))
          : ask({ confirm: form("Please confirm", { ok: { type: "boolean" } }) }, { step: "confirm" });
      },
    },
    test_input_required_result_multiple_inputs: {
      call: (_, request) => {
        const { user_name, greeting, client_roots } = request.answers;
        if (user_name && greeting && client_roots) return content(text("all three answered"));
        return ask(
          {
            user_name: form("What is your name?", { name: { type: "string" } }),
            greeting: sample("Generate a greeting"),
            client_roots: roots,
          },
          { step: "all" },
        );
      },
    },
    test_input_required_result_multi_round: {
      call: (_, request) => {
        const name = request.kept?.["name"];
        const step1 = told(request, "step1", "name");
        const step2 = told(request, "step2", "color");
        if (typeof name === "string" && step2 !== undefined) return content(text(`${name} likes ${step2}`));
        if (step1 !== undefined)
          return ask({ step2: form("Step 2: favorite color?", { color: { type: "string" } }) }, { name: step1 });
        return ask({ step1: form("Step 1: your name?", { name: { type: "string" } }) }, { round: 1 });
      },
    },
    test_input_required_result_tampered_state: {
      call: (_, request) =>
        request.kept && elicited(request, "confirm")
          ? content(text("state-ok"))
          : ask({ confirm: form("Please confirm", { ok: { type: "boolean" } }) }, { step: "signed" }),
    },
    test_input_required_result_capabilities: {
      call: (_, { client, answers }) => {
        if (Object.keys(answers).length > 0) return content(text("answered"));
        const questions = {
          ...(client.elicits ? { user_name: form("What is your name?", { name: { type: "string" } }) } : {}),
          ...(client.samples ? { greeting: sample("Generate a short greeting") } : {}),
          ...(client.hasRoots ? { client_roots: roots } : {}),
        };
        return Object.keys(questions).length > 0 ? ask(questions) : content(text("nothing can be asked"));
      },
    },
    test_trigger_tool_change: {
      call: () => {
        tell("tools");
        return content(text("told"));
      },
    },
    test_trigger_prompt_change: {
      call: () => {
        tell("prompts");
        return content(text("told"));
      },
    },
    greet: {
      input: { type: "object", properties: { name: { type: "string" } } },
      call: ({ name }) => content(text(`Hello, ${String(name)}!`)),
    },
    slow_compute: {
      input: { type: "object", properties: { seconds: { type: "number" }, label: { type: "string" } } },
      asTask: "possible",
      call: async ({ seconds, label }, { client }) => {
        const work = async (signal: AbortSignal) => {
          await Promise.race([
            pause(Number(seconds) * 1000),
            new Promise((resolve) => signal.addEventListener("abort", resolve)),
          ]);
          return content(text(`computed ${String(label)}`));
        };
        return client.takesTasks ? tasks.begin(work) : work(new AbortController().signal);
      },
    },
    failing_job: {
      asTask: "only",
      call: () => tasks.begin(async () => err(domainError("TOOL_ERROR", "the job failed, as it was meant to"))),
    },
    protocol_error_job: {
      asTask: "only",
      call: () => tasks.begin(() => Promise.reject(new Error("the job broke, as it was meant to"))),
    },
    confirm_delete: {
      asTask: "possible",
      input: { type: "object", properties: { filename: { type: "string" } } },
      call: ({ filename }) =>
        tasks.begin(async (_, ask) => {
          const { confirm } = await ask({
            confirm: form(`Delete ${String(filename)}?`, { confirm: { type: "boolean" } }),
          });
          return content(text(`deleted: ${JSON.stringify(confirm)}`));
        }),
    },
    multi_input: {
      asTask: "possible",
      call: () =>
        tasks.begin(async (_, ask) => {
          const given = await ask({
            name: form("Name?", { name: { type: "string" } }),
            age: form("Age?", { age: { type: "integer" } }),
          });
          return content(text(JSON.stringify(given)));
        }),
    },
    test_tool_with_task: {
      asTask: "only",
      call: (_, request) => {
        const name = told(request, "user_name", "name");
        return name === undefined
          ? ask({ user_name: form("What is your name?", { name: { type: "string" } }) })
          : tasks.begin(async () => content(text(`Hello, ${name}!`)));
      },
    },
  };
}
