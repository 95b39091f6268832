import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { Message, MessagePart } from "../conversation/conversation.ts";

type FilePart = Extract<MessagePart, { type: "file" }>;

/** Where the bytes of attached files are, by their hash. */
export interface AttachedBytes {
  read(sha256: string): Promise<Result<Uint8Array>>;
}

export function filesIn(messages: readonly Message[]): readonly FilePart[] {
  return messages.flatMap(({ parts = [] }) => parts.filter((part) => part.type === "file"));
}

/** A picture for a model that is known to see none is refused before anything is sent. */
export function refuseUnseen(
  messages: readonly Message[],
  model: string,
  seesImages: boolean | undefined,
): Result<void> {
  const image = seesImages === false ? filesIn(messages).find(isImage) : undefined;
  if (!image) return ok(undefined);
  return err(
    domainError("MODALITY_UNSUPPORTED", `${model} reads no pictures, and ${image.name ?? "one"} is attached`, {
      details: { model, media_type: image.media_type, hint: "name a model that does, with a profile of its own" },
    }),
  );
}

/**
 * The bytes that a conversation needs, by hash. To a model that sees no pictures the older ones of its conversation are only
 * named: another model was sent them.
 */
export async function openFiles(
  messages: readonly Message[],
  bytes: AttachedBytes | undefined,
  seesImages: boolean | undefined,
): Promise<Result<ReadonlyMap<string, Uint8Array>>> {
  const opened = new Map<string, Uint8Array>();
  for (const file of filesIn(messages)) {
    if (opened.has(file.sha256) || (seesImages === false && isImage(file))) continue;
    const read = await bytes?.read(file.sha256);
    if (!read) return err(domainError("NOT_FOUND", `there is nowhere to read ${file.name ?? file.sha256} from`));
    if (!read.ok) return read;
    opened.set(file.sha256, read.value);
  }
  return ok(opened);
}

function isImage({ media_type }: FilePart): boolean {
  return media_type.startsWith("image/");
}
