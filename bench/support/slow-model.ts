// A model server in a process of its own: answers each request 800 ms after it arrived, with a call of the tool that it is offered,
// then with a text. Says how long it really took for a task, so that a late timer of its own counts for nobody.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openaiFormat } from "../../test/support/vendors/openai.ts";

const answersAfterMs = 800;
const tookMs = new Map<string, number>();

interface Body {
  readonly messages: readonly { readonly role: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly stream?: boolean;
}

let answers = 0;
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const arrived = performance.now();
  if (request.url === "/took") {
    response.end(JSON.stringify(Object.fromEntries(tookMs)));
    tookMs.clear();
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const text = Buffer.concat(chunks).toString("utf8");
    const { messages, tools = [], stream } = JSON.parse(text) as Body;
    const task = /task-\d+/.exec(text)?.[0] ?? "";
    const name = tools.find(({ function: { name: offered } }) => offered.includes("echo"))?.function.name ?? "echo";
    const isFirst = !messages.some(({ role }) => role === "tool");
    const said = isFirst ? { calls: [{ id: `call_${task}`, name, input: '{"text":"hello"}' }] } : { text: "done" };
    answers += 1;
    // LangGraph takes an answer under a known id for a new version of the old one.
    const named = (answer: string) => answer.replaceAll("chatcmpl-1", `chatcmpl-${answers}`);
    const type = stream === true ? "text/event-stream" : "application/json";
    const answer = named(
      stream === true ? openaiFormat.frames(said).join("") : JSON.stringify(openaiFormat.document(said)),
    );
    setTimeout(
      () => {
        response.writeHead(200, { "content-type": type }).end(answer);
        tookMs.set(task, (tookMs.get(task) ?? 0) + performance.now() - arrived);
      },
      answersAfterMs - (performance.now() - arrived),
    );
  });
});
server.listen(0, "127.0.0.1", () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("disconnect", () => process.exit()); // the bench has ended, however it did
