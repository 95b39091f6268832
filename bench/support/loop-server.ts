import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openaiFormat } from "../../test/support/vendors/openai.ts";
import type { Said } from "../../test/support/vendors/wire-format.ts";
import type { OfferedTool } from "./loop-peer.ts";

/** A call that the model makes, under Writ's name of the tool. */
export interface ScriptedCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a model does with a request: so many rounds of calls, then its answer. The same for whoever asks. */
export interface LoopScript {
  readonly prompt: string;
  readonly rounds: readonly (readonly ScriptedCall[])[];
  readonly answer: string;
}

/** What the requests of one task came to. */
export interface LoopCost {
  readonly calls: number;
  readonly bytes: number;
  /** How much of the requests' tools and messages their server had seen before: what a cache of prefixes can hold. */
  readonly cachedShare: number;
}

interface Body {
  readonly messages: readonly { readonly role: string }[];
  readonly tools?: readonly { readonly function: OfferedTool }[];
  readonly stream?: boolean;
}

export interface LoopServer extends AsyncDisposable {
  readonly baseUrl: string;
  /** Begins a task: what is asked from now on is counted for it. */
  begin(script: LoopScript): void;
  /** What the task cost, and the tools that were offered in it. */
  end(): LoopCost & { readonly tools: readonly OfferedTool[] };
}

/** A model server that speaks chat completions, carries out the tools of peers, and counts. */
export async function loopServer(carryOut: (call: ScriptedCall) => string): Promise<LoopServer> {
  let script: LoopScript = { prompt: "", rounds: [], answer: "" };
  let answers = 0;
  let seen: { readonly bytes: number; readonly body: Body }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const bytes = Buffer.concat(chunks);
      const parsed: unknown = JSON.parse(bytes.toString("utf8"));
      const tool = /\/carry-out\/(.+)$/.exec(request.url ?? "")?.[1];
      if (tool !== undefined)
        return void response.end(carryOut({ name: plainName(tool), args: parsed as ScriptedCall["args"] }));
      const body = parsed as Body;
      seen.push({ bytes: bytes.length, body });
      const said = nextOf(script, body);
      // LangGraph takes an answer under a known id for a new version of the old one.
      const named = (text: string) => text.replaceAll("chatcmpl-1", `chatcmpl-${answers}`);
      answers += 1;
      if (body.stream === true) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        return void response.end(named(openaiFormat.frames(said).join("")));
      }
      response.writeHead(200, { "content-type": "application/json" });
      response.end(named(JSON.stringify(openaiFormat.document(said))));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    begin(next) {
      script = next;
      seen = [];
    },
    end() {
      const prefixes = seen.map(({ body }) => JSON.stringify(body.tools ?? []) + JSON.stringify(body.messages));
      const shared = prefixes.map((each, at) => sharedLength(prefixes[at - 1] ?? "", each));
      const sum = (figures: readonly number[]) => figures.reduce((total, each) => total + each, 0);
      return {
        calls: seen.length,
        bytes: sum(seen.map(({ bytes }) => bytes)),
        cachedShare: sum(shared) / sum(prefixes.map(({ length }) => length)),
        tools: (seen[0]?.body.tools ?? []).map((offered) => offered.function),
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The next word of the model, by how many of its rounds have their results. */
function nextOf({ rounds, answer }: LoopScript, { messages, tools = [] }: Body): Said {
  const round = rounds[messages.filter(({ role }) => role === "assistant").length];
  if (!round) return { text: answer };
  const names = new Map(tools.map(({ function: { name } }) => [plainName(name), name]));
  return {
    calls: round.map(({ name, args }, at) => ({
      id: `call_${messages.length}_${at}`,
      name: names.get(name) ?? name,
      input: JSON.stringify(args),
    })),
  };
}

/** The name of a tool without the marks that a wire takes in place of its dot. */
function plainName(name: string): string {
  return name.replaceAll(/_+/g, ".");
}

function sharedLength(before: string, text: string): number {
  let at = 0;
  while (at < before.length && before[at] === text[at]) at += 1;
  return at;
}
