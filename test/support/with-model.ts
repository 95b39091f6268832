import { type TestWorkspace, testWorkspace, type WorkspaceOptions } from "./runtime-workspace.ts";
import { type FakeVendor, fakeVendor } from "./vendors/vendor-server.ts";

/** What a compatible server was sent. */
export interface Sent {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string; readonly description?: string } }[];
}

export interface ModelBench extends AsyncDisposable {
  readonly vendor: FakeVendor;
  readonly workspace: TestWorkspace;
}

/** A workspace whose model answers over HTTP as real ones do: prose and tool calls. */
export async function withModel(options: WorkspaceOptions = {}): Promise<ModelBench> {
  const vendor = await fakeVendor("openai-compatible");
  const { config, ...rest } = options;
  const workspace = await testWorkspace({
    ...rest,
    config: {
      provider: "openai-compatible",
      base_url: vendor.baseUrl,
      model: "small-1",
      retries: { attempts: 1, first_delay_ms: 1, max_delay_ms: 1 },
      ...config,
    },
  });
  return {
    vendor,
    workspace,
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
    },
  };
}

let calls = 0;

/** One call as a model asks for it. */
export function callOf(
  name: string,
  args: object,
): { readonly id: string; readonly name: string; readonly input: string } {
  return { id: `call-${++calls}`, name: name.replace(".", "__"), input: JSON.stringify(args) };
}

/** An answer that is one call. */
export function calling(name: string, args: object): { readonly calls: readonly ReturnType<typeof callOf>[] } {
  return { calls: [callOf(name, args)] };
}

export function sentTo(vendor: FakeVendor): readonly Sent[] {
  return vendor.requests.map(({ body }) => body as unknown as Sent);
}

/** All words of one request. */
export function wordsOf(sent: Sent | undefined): string {
  return (sent?.messages ?? []).map(({ content }) => String(content)).join("\n");
}
