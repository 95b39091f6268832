import type { AgentContext, AttachedFiles } from "../roles/agent-context.ts";
import { dataBlock } from "../roles/data-block.ts";
import type { AnsweredCall } from "./call-tools.ts";
import type { Message } from "./conversation.ts";

/** Texts that the person sent, each between marks: they are data, whatever they say. */
export function attachedTexts({ attached }: { readonly attached?: AttachedFiles | undefined }): readonly string[] {
  return (attached?.texts ?? []).map(({ name, text }) => dataBlock(`attached: ${name}`, text));
}

/** Pictures and documents stand beside the words that they came with. */
export function attachedFiles(attached: AttachedFiles | undefined): Pick<Message, "parts"> {
  return attached === undefined || attached.files.length === 0 ? {} : { parts: attached.files };
}

/** Words with what came with them: texts before them as data, pictures and documents beside them. */
export function withAttached(content: string, attached: AttachedFiles | undefined): readonly Message[] {
  return [
    ...attachedTexts({ attached }).map((text) => ({ role: "user" as const, content: text })),
    { role: "user", content, ...attachedFiles(attached) },
  ];
}

/**
 * Pictures that the calls of one answer read, in a message of their own behind the results: not every vendor takes them within a
 * result. A model that is known to see none gets the result alone, which says that the file is no text.
 */
export async function picturesRead(
  { pictureOf, router }: Pick<AgentContext, "pictureOf" | "router">,
  role: string,
  answered: readonly AnsweredCall[],
): Promise<readonly Message[]> {
  if (!pictureOf || router.seesImages?.(role) === false) return [];
  const names: string[] = [];
  const parts: NonNullable<Message["parts"]>[number][] = [];
  for (const { binary } of answered) {
    const found = binary && (await pictureOf(binary.path, binary.sha256));
    if (!found || !found.ok || !found.value) continue; // the result says what there is
    names.push(binary.path);
    parts.push(found.value);
  }
  if (parts.length === 0) return [];
  return [{ role: "user", content: `What fs.read found, as data: ${names.join(", ")}`, parts }];
}
