import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openaiFormat } from "./vendors/openai.ts";

export interface CountingModel extends AsyncDisposable {
  readonly baseUrl: string;
  /** How often each conversation was sent, by its text. */
  readonly asked: ReadonlyMap<string, number>;
  forget(): void;
}

interface Body {
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
}

/** What the model says to a conversation: text, or tool calls by name and arguments. */
export type Speak = (messages: Body["messages"]) => Said | Promise<Said>;

interface Said {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: object }[];
}

/** A model behind a real socket that counts what reaches it: the peer at which "never called again" is measured. */
export async function countingModel(speak: Speak): Promise<CountingModel> {
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (data: Buffer) => {
      text += data.toString();
    });
    request.on("end", () => {
      const body = JSON.parse(text) as Body;
      const key = JSON.stringify(body.messages);
      asked.set(key, (asked.get(key) ?? 0) + 1);
      // A model that throws is one whose answer nobody will hear.
      void Promise.resolve(speak(body.messages)).then(
        (said) => respond(body, key, said),
        () => response.destroy(),
      );
    });
    const respond = (body: Body, key: string, { text: said, calls }: Said): void => {
      const answer = {
        ...(said === undefined ? {} : { text: said }),
        ...(calls
          ? {
              // The same conversation gets the same ids, as a model that is asked once would give them.
              calls: calls.map(({ name, args }, index) => ({
                id: `call_${body.messages.length}_${index}_${name.replaceAll(/\W/g, "")}_${hashOf(key)}`,
                name,
                input: JSON.stringify(args),
              })),
            }
          : {}),
      };
      if (body.stream) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const frame of openaiFormat.frames(answer)) response.write(frame);
        response.end();
      } else {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(openaiFormat.document(answer)));
      }
    };
  });
  server.keepAliveTimeout = 120_000; // a connection that is closed while it is used again is another test
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked,
    forget: () => asked.clear(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function hashOf(text: string): string {
  let hash = 7;
  for (const char of text) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 1_000_000_007;
  return hash.toString(36);
}
