import { domainError } from "#core/errors";
import { err, ok, type Result, type SessionId } from "#core/values";
import { writeBundle } from "../bundle/write-bundle.ts";

/** The page is held in memory while it is sent, and no browser opens a longer one. */
export const mostBundleBytes: number = 256 * 1024 * 1024;

/** The session as a page, to be sent as a whole. */
export async function bundleOf(
  session_id: SessionId,
  sources: Parameters<typeof writeBundle>[1],
  mostBytes: number,
): Promise<Result<Buffer>> {
  const page: Buffer[] = [];
  let bytes = 0;
  const written = await writeBundle(session_id, sources, (text) => {
    bytes += Buffer.byteLength(text);
    if (bytes <= mostBytes) page.push(Buffer.from(text));
    else page.length = 0;
  });
  if (!written.ok) return written;
  if (bytes <= mostBytes) return ok(Buffer.concat(page));
  return err(
    domainError(
      "MALFORMED_INPUT",
      `the page would have ${bytes} bytes, at most ${mostBytes} are sent; \`writ session export ${session_id} --bundle\` writes it to a file`,
    ),
  );
}
