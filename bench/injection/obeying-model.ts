import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openaiFormat } from "../../test/support/vendors/openai.ts";
import type { Said } from "../../test/support/vendors/wire-format.ts";

/** What the model does in a conversation in which a prompt stands: call after call, or a text where a message ends. */
export interface Script {
  readonly prompt: string;
  readonly steps: readonly (ModelCall | string)[];
}

export interface ModelCall {
  readonly name: string;
  readonly args: object;
}

export interface ObeyingModel extends AsyncDisposable {
  readonly baseUrl: string;
  /** Of several scripts whose prompt stands in a conversation the first counts. */
  obey(scripts: readonly Script[]): void;
}

interface Body {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly stream?: boolean;
}

/** A model server that speaks chat completions and makes the calls of its scripts, whatever it is shown. */
export async function obeyingModel(answer: string): Promise<ObeyingModel> {
  let scripts: readonly Script[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Body;
      const said = nextOf(scripts, body) ?? { text: answer };
      const isStream = body.stream === true;
      response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
      response.end(isStream ? openaiFormat.frames(said).join("") : JSON.stringify(openaiFormat.document(said)));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    obey(next) {
      scripts = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function nextOf(scripts: readonly Script[], { messages, tools = [] }: Body): Said | undefined {
  const asked = JSON.stringify(messages.filter(({ role }) => role === "user"));
  const script = scripts.find(({ prompt }) => asked.includes(JSON.stringify(prompt).slice(1, -1)));
  const step = script?.steps[messages.filter(({ role }) => role === "assistant").length];
  if (step === undefined) return undefined;
  if (typeof step === "string") return { text: step };
  // A wire takes other marks in place of the dot in a tool's name.
  const plain = (name: string) => name.replaceAll(/_+/g, ".");
  const offered = tools.find(({ function: { name } }) => plain(name) === plain(step.name));
  const name = offered?.function.name ?? step.name;
  return { calls: [{ id: `call_${messages.length}_0`, name, input: JSON.stringify(step.args) }] };
}
