import { generateKeyPairSync } from "node:crypto";
import { openOnStack } from "#core/shapes";
import { type DisposalStack, ok, type Result } from "#core/values";
import { openPrograms } from "#effects";
import { isOwnWorkspace, openSecrets, rememberOwnWorkspace } from "#governance";
import { type EventLog, recordAct } from "#log";
import { AnchorLog, loadSigningKey, PostgresAnchors, parseSigningKey, type Succession } from "#proof";
import { openFolder, replaceKeyPair, signingFilesOf, type WorkspaceOptions, type WorkspaceParts } from "#workspace";
import { openStore, type StoreParts } from "../store/open-store.ts";

/**
 * Gives the workspace another signing key. The old one says so first, and its word stays beside the new public key, so
 * that everything it signed still counts and nothing that it signs later does. The old private key is gone afterwards.
 *
 *     under the anchors' lock: the old key is still the current one ─► new pair beside it ─► the old key's word, on disk
 *                              ─► private key in place ─► public key in place ─► a root by it
 *
 * Killed in between, the workspace still signs with whichever private key is in place; running this again ends it, and
 * clears away what was left beside it. Of two at once, the one that comes second is refused.
 */
export async function rotateSigningKey(options: WorkspaceOptions): Promise<Result<Succession>> {
  const opened = await openOnStack((stack) => openParts(options, stack));
  if (!opened.ok) return opened;
  try {
    return await rotate(opened.value);
  } finally {
    await opened.value.close();
  }
}

async function openParts(
  options: WorkspaceOptions,
  stack: DisposalStack,
): Promise<Result<WorkspaceParts & StoreParts>> {
  const folder = await openFolder(options);
  if (!folder.ok) return folder;
  const secrets = await openSecrets({ ...folder.value, ...openPrograms(folder.value, stack) });
  if (!secrets.ok) return secrets;
  const parts = { ...folder.value, ...secrets.value };
  const store = await openStore(parts, stack);
  return store.ok ? ok({ ...parts, ...store.value }) : store;
}

async function rotate({
  root,
  config,
  env,
  clock,
  random,
  postgres,
}: WorkspaceParts & StoreParts): Promise<Result<Succession>> {
  const files = signingFilesOf(root, config);
  const old = loadSigningKey(files.private);
  if (!old.ok) return old;
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const next = parseSigningKey(pem, files.private);
  if (!next.ok) return next;
  // Who made the workspace is known by its key, and they make this one too. Said first: a word too many opens nothing.
  const isOwn = await isOwnWorkspace({ root, env });
  const remembered = isOwn ? await rememberOwnWorkspace({ root, env }, next.value.key_id) : ok(undefined);
  if (!remembered.ok) return remembered;
  const file = new AnchorLog({ root, key: old.value, clock });
  const anchors = postgres ? new PostgresAnchors({ root, postgres, key: old.value, clock }) : file;
  try {
    return await anchors.succeed(next.value, (succession) =>
      replaceKeyPair(files, { private: pem, public: next.value.pem }, succession, random),
    );
  } finally {
    file.close();
  }
}

/** The first thing that the new key anchors is that it came. */
export function recordRotation(
  { log, caller }: { readonly log: EventLog; readonly caller: string },
  { key_id, next_key_id, tree_size }: Succession,
  reason: string,
): Promise<Result<void>> {
  const payload = { key_id, next_key_id, tree_size, rotated_by: caller, reason: reason.slice(0, 256) };
  return recordAct(log, { name: "signing-key", actor: caller }, [{ type: "signing.rotated", actor: caller, payload }]);
}
