// A server on the current SDK whose only tool costs nothing.
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

serveStdio(() => {
  const server = new McpServer({ name: "echo", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.registerTool(
    "echo",
    {
      description: "Gives back the text it is given.",
      inputSchema: fromJsonSchema({ type: "object", properties: { text: { type: "string" } }, required: ["text"] }),
      annotations: { readOnlyHint: true },
    },
    ({ text }) => ({ content: [{ type: "text", text }] }),
  );
  return server;
});
