import { defineHook, defineProvider, defineTool, openWorkspace, unwrap } from "writ";
import { z } from "zod";

const noWeekends = defineHook({
  id: "no-weekends",
  point: "PreToolUse",
  matcher: "weather.*",
  decide: ({ args }) =>
    JSON.stringify(args).includes("Sunday") ? { decision: "deny", reason: "ask on a weekday" } : { decision: "allow" },
});
const mine = defineProvider({
  id: "mine",
  async complete({ messages }, { text }) {
    const last = messages.at(-1);
    if (last?.role !== "tool")
      return { tool_calls: [{ id: `c${messages.length}`, name: "weather.forecast", args: { town: "Oslo" } }] };
    text("I read: ");
    text(last.content);
    return { text: `I read: ${last.content}` };
  },
});

const forecast = defineTool({
  name: "weather.forecast",
  input: z.object({ town: z.string() }),
  effect: "read",
  run: ({ town }) => `sun over ${town}`,
});
const writ = unwrap(await openWorkspace({ root: ".", tools: [forecast], hooks: [noWeekends], providers: [mine] })); // a folder, or an object for all of writ.yaml
const thread = writ.thread({ order: { tools: ["weather.forecast"], tokens: 20_000 } });
for await (const part of thread.send("weather in Oslo?").stream())
  if (part.type === "text") process.stdout.write(part.text);
await writ.close();
