import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, fromJsonSchema, inputRequired, McpServer } from "@modelcontextprotocol/server";

export interface AskingServer extends AsyncDisposable {
  readonly url: string;
  /** What its questions were answered with. */
  readonly answers: unknown[];
}

/** A server of revision 2026-07-28 whose tool `book` asks these questions first, by their names. */
export async function askingServer(questions: Readonly<Record<string, object>>): Promise<AskingServer> {
  const answers: unknown[] = [];
  const make = () => {
    const server = new McpServer({ name: "desk", version: "1" }, { capabilities: { tools: {} } });
    const inputSchema = fromJsonSchema<object>({ type: "object" });
    server.registerTool("book", { description: "Books a table", inputSchema }, (_, { mcpReq }) => {
      const { inputResponses } = mcpReq;
      if (!inputResponses) return inputRequired({ inputRequests: questions as never });
      answers.push(inputResponses);
      return { content: [{ type: "text", text: "booked" }] };
    });
    return server;
  };
  const handle = toNodeHandler(createMcpHandler(make));
  const http = createServer((request, response) => void handle(request as never, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    answers,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** A form with a field of each kind. */
export const bookingForm = {
  method: "elicitation/create",
  params: {
    message: "For how many guests?",
    requestedSchema: {
      type: "object",
      properties: {
        guests: { type: "integer", minimum: 1, maximum: 9, title: "Guests" },
        note: { type: "string", default: "none" },
        window: { type: "boolean", default: false, title: "At the window" },
        room: {
          type: "string",
          oneOf: [
            { const: "a", title: "Ante-room" },
            { const: "b", title: "Big room" },
          ],
        },
      },
      required: ["guests", "room"],
    },
  },
};
