// A mail server over MCP that sends nothing: what would go out is appended to the file that OUTBOX names.
import { appendFileSync } from "node:fs";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const text = { type: "string", minLength: 1 };

serveStdio(() => {
  const server = new McpServer({ name: "mail", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.registerTool(
    "send",
    {
      description: "Sends a mail.",
      inputSchema: fromJsonSchema({
        type: "object",
        required: ["to", "subject", "body"],
        additionalProperties: false,
        properties: { to: text, subject: text, body: text },
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    },
    (mail) => {
      appendFileSync(process.env.OUTBOX, `${JSON.stringify(mail)}\n`);
      return { content: [{ type: "text", text: `sent to ${mail.to}` }] };
    },
  );
  return server;
});
