import { type Command, type ExitStatus, exitStatus, text, textOr, texts } from "#core/commands";
import { besideOrBelow, sameWorkspace, screenOf } from "#core/terminal";
import { ok, type Result, type SessionId } from "#core/values";
import { type LogReader, resolveSession } from "#log";
import type { FlowResult } from "../flow/execution-context.ts";
import type { AttachedFile } from "../orders/attachments.ts";
import type { OrderInput } from "../orders/write-work-order.ts";
import type { SentMessage, Thread, Threads } from "../threads/threads.ts";
import { exitOfResult } from "./exit-of-result.ts";

interface ChatParts {
  readonly root: string;
  readonly log: LogReader;
  readonly threads: Threads;
}

interface ChatOptions {
  readonly continue?: string;
  readonly skill?: string;
  readonly profile?: string;
  readonly framework?: string;
  readonly allow?: readonly string[];
  readonly allowCode?: readonly string[];
  readonly tool?: readonly string[];
}

export const chat: Command<"runtime", ChatParts, ChatOptions> = {
  name: "chat",
  summary: "talk with an agent: every message is a request with an order, a budget and a proof of its own",
  needs: "runtime",
  json: "thread_id, messages, and session_id, status and output of the last of them",
  arguments: [],
  options: {
    continue: textOr("session", "go on after a session: its id, its short id, or last (the default)", "last"),
    skill: text("name", "the skill to use (default: the one whose triggers match)"),
    profile: text("name", "the profile of writ.yaml to use"),
    framework: text("id", "the framework to work under (default: FMWK-005)"),
    allow: texts("glob", "paths that the messages may write, besides the workspace's default"),
    allowCode: texts("glob", "code that runs, such as package.json or a workflow, that they may write too"),
    tool: texts("name", "tools that they may use without being asked about"),
  },
  examples: ["writ chat", "writ chat --continue", 'echo "what is in README.md?" | writ chat'],
  after: `
Ctrl-C stops the message that is being carried out, and the thread goes on with the next; while none is, it ends the
chat, as Ctrl-D and /quit do. \`/attach FILE\` sends a picture, a PDF or a text with the next message; \`/help\` shows these. A line that is entered while a message is carried out reaches the agent with its next step.
Without a terminal every line of standard input is a message, one after the other.`,
  exits: null,
  run: async (parts, invocation) => {
    const { context, json, screen, options } = invocation;
    const { stdout, stderr } = context;
    const thread = await threadAfter(parts, options.continue);
    if (!thread.ok) return thread;
    const { chatScreen } = await import("../story/chat-screen.ts");
    const { readAttached } = await import("./read-attached.ts");
    const dialogue = json ? undefined : context.dialogue?.("› ");
    const write = (said: string) => (dialogue ? dialogue.write(said) : (json ? stderr : stdout).write(said));
    const shown = chatScreen(write, screen ?? screenOf(stdout, context.env));
    /** Messages without an end: the first is carried out, the others wait or were taken by it. */
    const open: SentMessage[] = [];
    let last: FlowResult | undefined;
    let count = 0;
    const following = new Set<Promise<void>>();

    const follow = async (sent: SentMessage): Promise<void> => {
      for await (const part of sent.stream()) shown.part(part);
      const result = await sent.result;
      open.splice(open.indexOf(sent), 1);
      last = result;
      shown.end(result);
    };
    const showWaiting = async ({ accepted }: SentMessage): Promise<void> => {
      const where = await accepted;
      if (where.ok && where.value.state === "waiting") shown.waits();
    };
    let attached: readonly AttachedFile[] = [];
    const attach = async (path: string): Promise<void> => {
      const files = await readAttached([path], context.cwd);
      if (files.ok) attached = [...attached, ...files.value];
      write(`${screen.dim(files.ok ? `${path} goes with the next message` : files.error.message)}\n`);
    };
    const say = (line: string): Promise<void> => {
      count += 1;
      const sent = thread.value.send(line, { wanted: inputOf(options), attachments: attached, signal: context.signal });
      attached = [];
      open.push(sent);
      const followed = Promise.all([follow(sent), showWaiting(sent)])
        .then(() => undefined)
        .finally(() => following.delete(followed));
      following.add(followed);
      return followed;
    };

    /** What is for the chat itself; "end" where it asks for the end. */
    const obey = async (command: ChatCommand): Promise<"end" | undefined> => {
      switch (command.name) {
        case "attach":
          await attach(command.path);
          return undefined;
        case "end":
          return "end";
        case "help":
          write(`${screen.dim(commandsText)}\n`);
          return undefined;
        case "unknown":
          write(`${screen.dim(`there is no ${command.word}, and nothing was sent`)}\n${screen.dim(commandsText)}\n`);
          return undefined;
      }
    };

    if (dialogue) {
      context.signal.addEventListener("abort", () => dialogue.close(), { once: true });
      dialogue.onInterrupt(() => (open[0] ? open[0].abort() : dialogue.close()));
      for await (const line of dialogue.lines()) {
        const command = commandOf(line);
        if (command && (await obey(command)) === "end") break;
        if (!command && line.trim() !== "") void say(line); // what went wrong is shown with its result
      }
      dialogue.close();
    } else {
      const input = await context.readInput?.(mostInput);
      if (input?.ok === false) return input;
      for (const line of (input?.value ?? "").split("\n")) {
        const command = commandOf(line);
        if (command && (await obey(command)) === "end") break;
        if (!command && line.trim() !== "" && !context.signal.aborted) await say(line);
      }
    }
    await Promise.all(following);
    const { thread_id } = thread.value;
    if (count > 0 && !json) {
      const onward = [`go on: writ chat --continue${sameWorkspace(invocation)}`, `thread ${thread_id}`];
      stdout.write(`${screen.dim(besideOrBelow(screen, onward, `  ${screen.sign.dot}  `))}\n`);
    }
    return ok({
      json: { thread_id, messages: count, ...lastOf(last) },
      exit: last ? exitOfResult(last, context.signal) : endOfNothing(context.signal),
    });
  },
};

type ChatCommand =
  | { readonly name: "attach"; readonly path: string }
  | { readonly name: "end" }
  | { readonly name: "help" }
  | { readonly name: "unknown"; readonly word: string };

const commandsText =
  "/attach FILE  goes with the next message\n/help  shows this\n/quit  ends the chat, as Ctrl-D does";

/** A word behind a slash that stands alone is for the chat, never a message: a person would pay for the answer to a mistyped one. */
function commandOf(line: string): ChatCommand | undefined {
  const path = /^\s*\/attach\s+(.*\S)/.exec(line)?.[1];
  if (path !== undefined) return { name: "attach", path };
  const word = /^\s*(\/[a-z?-]+)\s*$/i.exec(line)?.[1];
  if (word === undefined) return undefined;
  if (word === "/quit" || word === "/exit") return { name: "end" };
  return word === "/help" || word === "/?" ? { name: "help" } : { name: "unknown", word };
}

/** Standard input that is read as messages. */
const mostInput = 4 * 1024 * 1024;

/** A new thread, or the one that goes on after a session. */
export async function threadAfter(
  { root, log, threads }: ChatParts,
  wanted: string | undefined,
): Promise<Result<Thread>> {
  if (wanted === undefined) return ok(threads.begin());
  if (wanted.startsWith("THR-")) return threads.open(wanted);
  const session_id: Result<SessionId> = await resolveSession(wanted, { root, reader: log });
  return session_id.ok ? threads.after(session_id.value) : session_id;
}

export function inputOf({
  skill,
  profile,
  framework,
  allow,
  allowCode,
  tool,
}: Omit<ChatOptions, "continue">): OrderInput {
  return {
    ...(skill === undefined ? {} : { skill }),
    ...(profile === undefined ? {} : { profile }),
    ...(framework === undefined ? {} : { framework }),
    ...(allow === undefined ? {} : { allow }),
    ...(allowCode === undefined ? {} : { allowCode }),
    ...(tool === undefined ? {} : { tools: tool }),
  };
}

function lastOf(last: FlowResult | undefined) {
  if (!last) return { session_id: null, status: null, output: null };
  return { session_id: last.session_id, status: last.status, output: last.response };
}

function endOfNothing({ aborted }: AbortSignal): ExitStatus {
  return aborted ? exitStatus.interrupted : exitStatus.done;
}
