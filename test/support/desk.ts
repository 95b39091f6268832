import { sha256 } from "#core/values";
import { type TestServer, type TestServerOptions, testServer } from "./server.ts";

export const plan = "one\ntwo\nthree\n";
export const planned = "one\n2\nthree\nfour\n";

interface Write {
  readonly path: string;
  readonly content: string;
  readonly expected?: string;
}

/** A note that the agent writes when it is asked for it by this word. */
export function writes(word: string, { path, content, expected = "" }: Write): object {
  const args = { path, content, expected_hash: expected, why: "it was asked for" };
  return { when: { role: "solo", call: 1, prompt: word }, respond: { tool_calls: [{ name: "fs.write", args }] } };
}

export interface Desk extends TestServer {
  /** Headers with the key of this caller. */
  as(name: "ada" | "bob" | "carol"): { readonly authorization: string };
  keyOf(name: "ada" | "bob" | "carol"): string;
  /** Ada asks for it; what then waits, whole. */
  ask(prompt: string): Promise<Asked>;
  /** The types of the session's events, once it has ended. */
  ended(session_id: string): Promise<readonly { type: string; payload: Record<string, unknown> }[]>;
}

/** Tests look into answers of every shape. */
export type Asked = ReturnType<typeof JSON.parse>;

/** Ada asks, Bob and Carol decide: every write waits for one of them. */
export async function desk(options: TestServerOptions & { readonly approvals?: object } = {}): Promise<Desk> {
  const { approvals, ...rest } = options;
  const api = await testServer({
    ...rest,
    files: {
      "hooks/ask.mjs": 'export default () => ({ decision: "ask", reason: "somebody looks first" });\n',
      "notes/plan.md": plan,
      ...rest.files,
    },
    config: {
      hooks: {
        PreToolUse: [{ matcher: "fs.write", hooks: [{ type: "module", module: "hooks/ask.mjs", id: "look-first" }] }],
      },
      identity: {
        callers: {
          "ada@corp": { roles: ["operator", "approver"] },
          "bob@corp": { roles: ["approver"] },
          "carol@corp": { roles: ["approver"] },
        },
      },
      ...(approvals ? { approvals } : {}),
      ...rest.config,
    },
  });
  const { runtime } = api.workspace;
  const admin = runtime.localCaller();
  const keys: Record<string, string> = {};
  for (const name of ["ada", "bob", "carol"]) {
    const made = admin.ok ? await runtime.keys.create(admin.value, { caller_id: `${name}@corp` }) : admin;
    if (!made.ok) throw new Error(made.error.message);
    keys[name] = made.value.key;
  }
  const keyOf: Desk["keyOf"] = (name) => keys[name] ?? "";
  const as: Desk["as"] = (name) => ({ authorization: `Bearer ${keyOf(name)}` });
  return Object.assign(api, {
    as,
    keyOf,
    async ask(prompt: string) {
      const body = { prompt, skill: "write-note", allow: ["notes/**"] };
      const done = await api.post("/api/v1/requests", body, { ...as("ada"), prefer: "wait=30" });
      const waits = () => api.get(`/api/v1/approvals?session=${done.json.session_id}`, as("bob"));
      let found = await waits();
      while (found.json.approvals.length === 0) found = await waits();
      const one = await api.get(`/api/v1/approvals/${found.json.approvals[0].approval_id}`, as("bob"));
      return one.json;
    },
    async ended(session_id: string) {
      const frames = await api.events(`/api/v1/sessions/${session_id}/stream`, 1000, as("bob"));
      return frames.filter(({ event }) => event === "event").map(({ data }) => data);
    },
  });
}

export const hashOfPlan: string = sha256(plan);
