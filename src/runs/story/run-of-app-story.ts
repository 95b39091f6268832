import type { Invocation } from "#core/commands";
import type { EventLogV1, RunV1 } from "#core/contracts";
import { harmless, oneLine } from "#core/terminal";
import type { RunId } from "#core/values";
import type { Documents } from "../kernel/documents.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { newRunStoryState, renderRunEvent } from "./render-run-event.ts";

export interface RunOfAppStory {
  onEvent(event: EventLogV1): void;
  /** Prints the document, the outcome, and where to look next. */
  end(run: RunV1): Promise<void>;
}

/** Renders a run for a person: its work, its workers and the changes of its document. */
export function runOfAppStory(
  { context, screen }: Pick<Invocation<object>, "context" | "screen">,
  run: Pick<RunV1, "run_id" | "app_id">,
  { kernel, documents }: { readonly kernel: Kernel; readonly documents: Documents },
): RunOfAppStory {
  const { stdout, clock } = context;
  const dot = ` ${screen.sign.dot} `;
  const so = newRunStoryState();
  const began = clock.monotonic();
  stdout.write(`${screen.bold("writ")}  ${run.run_id}${dot}app ${run.app_id}\n\n`);
  return {
    onEvent(event) {
      for (const line of renderRunEvent(event, so, screen)) stdout.write(`${line}\n`);
    },
    async end(closed) {
      const short = closed.run_id.slice(-6);
      if (closed.status !== "closed") {
        stdout.write(`\n${screen.yellow("left as it is")}: nothing is lost\n`);
        stdout.write(screen.dim(`go on: writ runs watch ${short} --work\n`));
        return;
      }
      const text = await documentOf(kernel, documents, closed);
      if (text !== undefined) stdout.write(`\n${harmless(text)}\n`);
      const word = closed.close_reason === "completed" ? screen.green("done") : screen.red(String(closed.close_reason));
      const seconds = ((clock.monotonic() - began) / 1000).toFixed(1);
      const count = (many: number, one: string) => `${many} ${one}${many === 1 ? "" : "s"}`;
      const parts = [`${word} in ${seconds} s`, count(so.work.size, "work item"), count(so.revisions, "revision")];
      stdout.write(`${parts.join(dot)}\n`);
      if (closed.close_message !== undefined) stdout.write(`${oneLine(closed.close_message)}\n`);
      const who = so.revisions > 0 ? `   ${screen.sign.dot}   who wrote what: writ runs blame ${short}` : "";
      stdout.write(screen.dim(`look closer: writ runs show ${short}${who}\n`));
    },
  };
}

/** The document that the run's head names, where it is text. */
export async function documentOf(
  kernel: Kernel,
  documents: Documents,
  run: Pick<RunV1, "run_id" | "head_revision_id">,
): Promise<string | undefined> {
  if (run.head_revision_id === null) return undefined;
  const revision = await kernel.read.revision(run.run_id as RunId, run.head_revision_id);
  if (!revision.ok) return undefined;
  const bytes = await documents.get(revision.value.document_ref.sha256);
  return bytes.ok ? new TextDecoder().decode(bytes.value) : undefined;
}
