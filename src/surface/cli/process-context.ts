import { addAbortSignal } from "node:stream";
import type { CliContext } from "#core/commands";
import { exitStatus } from "#core/commands";
import { domainError } from "#core/errors";
import { ownVersion } from "#core/machine";
import { err, ok, type Result, systemClock, systemRandom } from "#core/values";
import { type ProcessOutput, processOutput } from "./process-output.ts";
import { terminalDialogue } from "./terminal-dialogue.ts";

/** The surroundings of the real process. The first Ctrl-C asks the command to end; the second does not ask. */
export function processContext(cwd: string): CliContext & { readonly stdout: ProcessOutput } {
  const controller = new AbortController();
  for (const [signal, status] of [
    ["SIGINT", exitStatus.interrupted],
    ["SIGTERM", exitStatus.terminated],
  ] as const)
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(status);
      controller.abort(signal);
    });
  return {
    stdout: processOutput(process.stdout),
    stderr: processOutput(process.stderr),
    env: process.env,
    cwd,
    clock: systemClock,
    random: systemRandom,
    signal: controller.signal,
    version: ownVersion(),
    readInput,
    input: () => addAbortSignal(controller.signal, process.stdin),
    ...(process.stdin.isTTY && process.stderr.isTTY ? { ask: (question) => ask(question, controller.signal) } : {}),
    ...(process.stdin.isTTY && process.stdout.isTTY ? { dialogue: terminalDialogue } : {}),
  };
}

async function readInput(maxBytes: number): Promise<Result<string>> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBytes) return err(domainError("MALFORMED_INPUT", `standard input is larger than ${maxBytes} bytes`));
    pieces.push(piece);
  }
  try {
    return ok(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces)));
  } catch (thrown) {
    return err(domainError("MALFORMED_INPUT", "standard input is not UTF-8", { cause: thrown }));
  }
}

/** Silence, Ctrl-C and a closed terminal are no answer. */
async function ask(question: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    return await Promise.race([lines.question(question, { signal }).catch(() => ""), closed]); // aborted: no answer
  } finally {
    lines.close();
  }
}
