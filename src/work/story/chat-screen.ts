import type { Screen } from "#core/terminal";
import { harmless, moneySpent, oneLine } from "#core/terminal";
import { canonicalJson } from "#core/values";
import { shortId } from "#log";
import type { FlowResult } from "../flow/execution-context.ts";
import type { StreamPart } from "../threads/stream-part.ts";
import { cycleSummary } from "./cycle-summary.ts";
import { renderFailure } from "./render-failure.ts";
import { undoneText } from "./render-undone.ts";

export interface ChatScreen {
  part(part: StreamPart): void;
  /** A message waits behind another. */
  waits(): void;
  end(result: FlowResult): void;
}

/** Characters of a call's arguments. */
const mostArguments = 80;

/** An answer as it arrives, and a line for whatever else happens: what people see of a conversation. */
export function chatScreen(write: (text: string) => void, screen: Screen): ChatScreen {
  let isInLine = false;
  /** Whether the answer that is recorded next was shown while it arrived. */
  let isShown = false;
  /** The last answer of each role to this message, as far as it was shown. */
  const said = new Map<string, string>();
  const answering = new Set<string>();
  let speaking = "";
  const line = (text: string) => {
    write(`${isInLine ? "\n" : ""}${text}\n`);
    isInLine = false;
  };
  const piece = (text: string) => {
    if (text === "") return;
    write(text);
    isInLine = !text.endsWith("\n");
  };
  return {
    part(part) {
      const { text = "", name = "" } = part;
      switch (part.type) {
        case "text":
          if (part.whole !== true) {
            const { role = "" } = part;
            if (role !== speaking && isInLine) line("");
            speaking = role;
            said.set(role, (answering.has(role) ? (said.get(role) ?? "") : "") + text);
            answering.add(role);
            piece(harmless(text));
            isShown = true;
            return;
          }
          answering.delete(part.role ?? "");
          said.set(part.role ?? "", text);
          if (!isShown) line(harmless(text));
          else if (isInLine) line("");
          isShown = false;
          return;
        case "reasoning":
          return piece(screen.dim(harmless(text)));
        case "restart":
          isShown = false;
          said.delete(part.role ?? speaking);
          answering.delete(part.role ?? speaking);
          return line(screen.dim("the connection broke; the answer begins again"));
        case "call":
          return line(screen.dim(`${screen.sign.dot} ${name} ${argumentsOf(part)}`));
        case "result":
          if (part.status !== "ok") line(screen.yellow(`  ${name} ${part.status ?? ""}: ${oneLine(text)}`));
          return;
        case "todo":
          for (const item of part.items ?? []) line(screen.dim(`  [${item.state}] ${oneLine(item.text)}`));
          return;
        case "approval":
          return line(screen.yellow(`waits for a person: ${oneLine(part.title ?? "")} (writ inbox)`));
        case "message":
          return line(screen.dim(`${part.by ?? ""} adds: ${oneLine(text)}`));
        case "end":
          return;
      }
    },
    waits: () => line(screen.dim("it reaches the agent with its next step, or is carried out after this one")),
    end(result) {
      const { response } = result;
      const isAnswer = response !== null && (result.status === "success" || result.status === "partial");
      // A cycle's answer, and that of a model that does not stream, came in no piece.
      if (isAnswer && ![...said.values()].some((text) => text.trim() === response.trim()))
        line(harmless(cycleSummary(response)));
      said.clear();
      answering.clear();
      speaking = "";
      if (result.error !== null)
        line(
          renderFailure(
            { status: result.status, code: result.error_code ?? "", message: result.error },
            screen,
          ).trimEnd(),
        );
      if (result.status === "waiting")
        line(screen.dim(`decide it elsewhere: writ inbox ${screen.sign.dot} then go on here with your next message`));
      const undone = undoneText(result, screen);
      if (undone !== "") line(undone.trimEnd());
      const { input = 0, output = 0 } = result.tokens_used ?? {};
      const session = result.session_id == null ? [] : [`session ${shortId(result.session_id, 6)}`];
      const spent = moneySpent(result.usd ?? 0, result.unpriced_models);
      const parts = [...session, `${(input + output).toLocaleString("en-US")} tokens`, spent];
      line(screen.dim(parts.join(` ${screen.sign.dot} `)));
    },
  };
}

function argumentsOf({ args }: StreamPart): string {
  const written = args === undefined ? "" : oneLine(canonicalJson(args));
  return written.length > mostArguments ? `${written.slice(0, mostArguments)}…` : written;
}
