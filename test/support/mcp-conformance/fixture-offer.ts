/**
 * What the official judge looks for on a server, by the names and texts that it prescribes: tools, resources and prompts
 * beside Writ's own, behind the same engine, keys and limits. Content, questions and tasks pass through it as Writ's do.
 */
import { type JsonObject, ok } from "../../../src/core/values/index.ts";
import type { McpList, McpOffer, McpWatch } from "../../../src/surface/mcp/offer/mcp-offer.ts";
import type { McpRequest } from "../../../src/surface/mcp/offer/mcp-request.ts";
import type { McpContents } from "../../../src/surface/mcp/offer/mcp-resource.ts";
import { FixtureTasks } from "./fixture-tasks.ts";
import { fixtureTools, form, image, png, text, told } from "./fixture-tools.ts";

const resources: readonly McpContents[] = [
  { uri: "test://static-text", mimeType: "text/plain", text: "This is the content of the static text resource." },
  { uri: "test://static-binary", mimeType: "image/png", bytes: Buffer.from(png, "base64") },
  { uri: "test://watched-resource", mimeType: "text/plain", text: "Watched resource content" },
];

const argument = (name: string) => ({ name, description: `${name}, as it is wanted`, required: true });
const prompts: Readonly<Record<string, readonly string[]>> = {
  test_simple_prompt: [],
  test_prompt_with_arguments: ["arg1", "arg2"],
  test_prompt_with_embedded_resource: ["resourceUri"],
  test_prompt_with_image: [],
  test_input_required_result_prompt: [],
};
const user = (of: JsonObject) => ({ role: "user" as const, content: of });

/** Writ's own offer with that of the judge's reference server beside it. */
export function withFixtures(own: McpOffer): McpOffer {
  const tasks = new FixtureTasks();
  const watches = new Set<McpWatch>();
  const tell = (list: McpList) => {
    for (const watch of watches) if (watch.lists.includes(list)) watch.onList(list);
  };
  const tools = Object.entries(fixtureTools(tasks, tell)).map(([name, { input, asTask = "never", call }]) => ({
    name,
    title: name,
    description: `${name}, as the judge prescribes it`,
    right: "read",
    isReadOnly: true,
    input: input ?? { type: "object", properties: {} },
    asTask,
    call: async (args: JsonObject, request: McpRequest) => call(args, request),
  }));
  return {
    ...own,
    tools: [...own.tools, ...tools],
    tasks,
    resources: {
      templates: [
        ...own.resources.templates,
        { uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" },
      ],
      async list(cursor, request) {
        const page = await own.resources.list(cursor, request);
        if (!page.ok || cursor !== undefined) return page;
        const beside = resources.map(({ uri, mimeType }) => ({ uri, mimeType, name: uri.slice(7) }));
        return ok({ ...page.value, items: [...beside, ...page.value.items] });
      },
      async read(uri, request) {
        const found = resources.find((each) => each.uri === uri);
        if (found) return ok([found]);
        const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
        if (id === undefined) return own.resources.read(uri, request);
        const said = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
        return ok([{ uri, mimeType: "application/json", text: said }]);
      },
      completions: async (asked, request) =>
        asked.uriTemplate.startsWith("test:") ? ok([]) : own.resources.completions(asked, request),
    },
    prompts: {
      async list(cursor, request) {
        const page = await own.prompts.list(cursor, request);
        if (!page.ok) return page;
        const beside = Object.entries(prompts).map(([name, args]) => ({
          name,
          description: name,
          arguments: args.map(argument),
        }));
        return ok({ ...page.value, items: [...beside, ...page.value.items] });
      },
      async get(name, args, request) {
        if (!Object.hasOwn(prompts, name)) return own.prompts.get(name, args, request);
        if (name === "test_input_required_result_prompt") {
          const context = told(request, "user_context", "context");
          const question = form("What context should the prompt use?", { context: { type: "string" } });
          if (context === undefined) return ok({ kind: "questions", questions: { user_context: question } });
          return ok({ kind: "prompt", messages: [user(text(`Use the following context: ${context}`))] });
        }
        const { arg1, arg2, resourceUri = "" } = args;
        const embedded = {
          type: "resource",
          resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." },
        };
        const messages = {
          test_simple_prompt: [user(text("This is a simple prompt for testing."))],
          test_prompt_with_arguments: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
          test_prompt_with_embedded_resource: [
            user(embedded),
            user(text("Please process the embedded resource above.")),
          ],
          test_prompt_with_image: [user(image), user(text("Please analyze the image above."))],
        }[name];
        return ok({ kind: "prompt", messages: messages ?? [] });
      },
      completions: async (asked, request) =>
        Object.hasOwn(prompts, asked.prompt) ? ok([`${asked.begins}-value`]) : own.prompts.completions(asked, request),
    },
    changes: {
      watch(wanted) {
        watches.add(wanted);
        wanted.signal.addEventListener("abort", () => watches.delete(wanted), { once: true });
        own.changes.watch(wanted);
      },
    },
  };
}
