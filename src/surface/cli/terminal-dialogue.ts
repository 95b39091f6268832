import { clearScreenDown, createInterface, cursorTo, moveCursor } from "node:readline";
import type { Dialogue } from "#core/commands";

const usualColumns = 80;

/**
 * A prompt at the bottom of the terminal and, above it, text as it arrives. The line that is not complete yet stands between them
 * and is drawn anew with each piece; what the person has typed so far stays.
 */
export function terminalDialogue(prompt: string): Dialogue {
  const { stdin: input, stdout: output } = process;
  const lines = createInterface({ input, output, prompt, terminal: true });
  let open = "";
  const clear = () => {
    const columns = output.columns || usualColumns; // a terminal that does not say how wide it is says 0
    const rows = open === "" ? 0 : Math.max(1, Math.ceil(open.length / columns));
    cursorTo(output, 0);
    moveCursor(output, 0, -rows - lines.getCursorPos().rows);
    clearScreenDown(output);
  };
  return {
    async *lines() {
      lines.prompt();
      for await (const line of lines) {
        open = ""; // what stood above the entered line stays there
        yield line;
        lines.prompt();
      }
    },
    write(text) {
      clear();
      const all = open + text;
      const end = all.lastIndexOf("\n") + 1;
      open = all.slice(end);
      output.write(all.slice(0, end) + (open === "" ? "" : `${open}\n`));
      lines.prompt(true);
    },
    onInterrupt(listener) {
      lines.on("SIGINT", listener);
    },
    close() {
      lines.close();
    },
  };
}
