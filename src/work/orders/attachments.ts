import type { AgentContext } from "#agents";
import type { SchemaRegistry, SchemaTypes, WorkOrder } from "#core/contracts";
import { domainError } from "#core/errors";
import { err, ok, type Result } from "#core/values";
import type { ContractStore } from "#governance";
import { mediaTypeOf } from "./media-type.ts";

/** A file that a person sends with a message. */
export interface AttachedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export type Attachment = SchemaTypes["attachment_v1"];

type Attached = NonNullable<AgentContext["attached"]>;

/** What the large vendors take of one picture or document. */
const mostBytes = 5 * 2 ** 20;
export const mostAttachments = 16;

interface Keeping {
  readonly contractStore: Pick<ContractStore, "keepBytes" | "readBytes">;
  readonly redact: <T>(value: T) => T;
  readonly schemas: SchemaRegistry;
}

/**
 * Keeps files by their content, before a message that names them is sent. A text is kept as the record may show it; what a
 * picture shows cannot be redacted, so its bytes are kept and sent as they are.
 */
export async function keepAttachments(
  { contractStore, redact }: Omit<Keeping, "schemas">,
  files: readonly AttachedFile[],
): Promise<Result<readonly Attachment[]>> {
  if (files.length > mostAttachments)
    return err(domainError("TOO_LARGE", `${files.length} files are attached; ${mostAttachments} are the most`));
  const kept: Attachment[] = [];
  for (const { name, bytes } of files) {
    const media_type = mediaTypeOf(bytes);
    if (media_type === undefined) return err(unknownKind(name));
    if (bytes.length > mostBytes)
      return err(domainError("TOO_LARGE", `${name} has ${bytes.length} bytes; ${mostBytes} can be attached`));
    const shown = isText(media_type) ? Buffer.from(redact(Buffer.from(bytes).toString("utf8")), "utf8") : bytes;
    const hash = await contractStore.keepBytes(shown);
    if (!hash.ok) return hash;
    kept.push({ sha256: hash.value, media_type, bytes: shown.length, name: plainName(name) });
  }
  return ok(kept);
}

/** What an order says is attached, for its agents: texts as texts, anything else by its hash. */
export async function openAttachments(
  { contractStore, schemas }: Omit<Keeping, "redact">,
  attachments: unknown,
): Promise<Result<Attached>> {
  const texts: Attached["texts"][number][] = [];
  const files: Attached["files"][number][] = [];
  if (attachments === undefined) return ok({ texts, files });
  if (!Array.isArray(attachments) || attachments.length > mostAttachments)
    return err(domainError("WORK_ORDER_INVALID", "input.attachments of the work order is no list of attachments"));
  for (const each of attachments) {
    const valid = schemas.validate("attachment_v1", each);
    if (!valid.ok) return err(domainError("WORK_ORDER_INVALID", `input.attachments: ${valid.error.message}`));
    const { sha256, media_type, name } = each as Attachment;
    // Read here and not where it is sent: a file that is gone ends the order before anything is asked.
    const bytes = await contractStore.readBytes(sha256);
    if (!bytes.ok) return bytes;
    if (isText(media_type)) texts.push({ name, text: Buffer.from(bytes.value).toString("utf8") });
    else files.push({ type: "file", media_type, sha256, name });
  }
  return ok({ texts, files });
}

/** The attachments of an order, as its input names them. */
export function attachmentsOf({ input }: Pick<WorkOrder, "input">): unknown {
  return (input as { readonly attachments?: unknown } | undefined)?.attachments;
}

/** A picture of the workspace that `fs.read` found: kept by its hash, so that a session that goes on sends the same. */
export async function pictureOf(
  {
    contractStore,
    readFile,
  }: Pick<Keeping, "contractStore"> & {
    readonly readFile: (path: string) => Promise<Result<{ readonly bytes: Uint8Array; readonly hash: string }>>;
  },
  path: string,
  sha256: string,
): Promise<Result<Attached["files"][number] | undefined>> {
  const known = await contractStore.readBytes(sha256);
  if (known.ok) return ok(partOf(path, sha256, known.value));
  const file = await readFile(path);
  if (!file.ok) return file;
  const { bytes, hash } = file.value;
  const part = hash === sha256 && bytes.length <= mostBytes ? partOf(path, sha256, bytes) : undefined;
  if (!part) return ok(undefined);
  const kept = await contractStore.keepBytes(bytes);
  return kept.ok ? ok(part) : kept;
}

function partOf(path: string, sha256: string, bytes: Uint8Array): Attached["files"][number] | undefined {
  const media_type = mediaTypeOf(bytes);
  if (media_type === undefined || isText(media_type)) return undefined;
  return { type: "file", media_type, sha256, name: plainName(path) };
}

function isText(media_type: string): boolean {
  return media_type.startsWith("text/");
}

/** The last part of a path, as a name for people. */
function plainName(name: string): string {
  const last = name.split(/[\\/]/).findLast((part) => part !== "") ?? "file";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return last
    .replaceAll(/[\u0000-\u001f\u007f]/g, " ")
    .slice(0, 200)
    .toWellFormed();
}

function unknownKind(name: string) {
  return domainError("WRONG_MEDIA_TYPE", `${name} is neither text nor a picture or document that models read`, {
    details: { hint: "PNG, JPEG, GIF, WebP, PDF and text in UTF-8 can be attached" },
  });
}
