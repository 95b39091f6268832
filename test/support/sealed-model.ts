import { execFileSync } from "node:child_process";
import { type FakeVendor, fakeVendor, type SeenRequest } from "./vendors/vendor-server.ts";

/** A call that the model makes, by the tool's own name. */
export interface Call {
  readonly name: string;
  readonly args: object;
}

/** What a model answers, from what it was shown of its last call. */
export type Move = Call | ((shown: string) => Call);

export interface SealedModel extends AsyncDisposable {
  readonly config: object;
  readonly vendor: FakeVendor;
  /** Makes these calls, one an answer, and then says "done". */
  makes(...moves: readonly Move[]): void;
  /** Everything that was ever sent to it. */
  readonly seen: () => string;
}

/** A model behind a socket that follows a list of calls. */
export async function sealedModel(): Promise<SealedModel> {
  const vendor = await fakeVendor("openai-compatible");
  let made = 0;
  return {
    vendor,
    config: { provider: "openai-compatible", base_url: vendor.baseUrl, model: "small-1" },
    makes(...moves) {
      vendor.will(
        ...moves.map((move) => (request: SeenRequest) => {
          const { name, args } = typeof move === "function" ? move(lastResult(request)) : move;
          made += 1;
          const input = JSON.stringify(args);
          return { calls: [{ id: `call-${made}`, name: name.replaceAll(".", "__"), input }], finish: "tool" as const };
        }),
        { text: "done" },
      );
    },
    seen: () => JSON.stringify(vendor.requests.map(({ body }) => body)),
    [Symbol.asyncDispose]: () => vendor[Symbol.asyncDispose](),
  };
}

function lastResult({ body }: SeenRequest): string {
  const messages = body["messages"] as readonly { readonly role: string; readonly content: unknown }[];
  const last = messages.findLast(({ role }) => role === "tool")?.content;
  return typeof last === "string" ? last : JSON.stringify(last ?? "");
}

/** The result of a tool as the model was shown it. */
export function resultOf<T>(shown: string): T {
  return (JSON.parse(shown) as { readonly result: T }).result;
}

/** The files below a folder that hold a text, in any of their bytes. */
export function filesWith(folder: string, text: string): readonly string[] {
  try {
    return execFileSync("grep", ["-rlaF", "--", text, "."], { cwd: folder, encoding: "utf8" })
      .split("\n")
      .filter(Boolean)
      .map((line) => line.replace(/^\.\//, ""))
      .sort();
  } catch {
    return []; // grep ends with 1 where nothing is found
  }
}
