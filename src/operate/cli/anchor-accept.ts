import { type Command, text } from "#core/commands";
import { ok, type Result } from "#core/values";

interface AcceptParts {
  acceptStore(reason: string): Promise<Result<boolean>>;
}

export const anchorAccept: Command<"controls", AcceptParts, { readonly reason: string }> = {
  name: "accept",
  summary: "take the store as it is, although this machine saw a later one (STORE_BEHIND); the act is recorded",
  needs: "controls",
  json: "accepted; false where the store is not behind",
  arguments: [],
  options: { reason: text("text", "why, for the record", "accepted by hand") },
  examples: ['writ anchor accept --reason "restored from the backup of Monday"'],
  exits: null,
  run: async (controls, { options: { reason } }) => {
    const accepted = await controls.acceptStore(reason);
    if (!accepted.ok) return accepted;
    return ok({
      json: { accepted: accepted.value },
      text: (screen) =>
        accepted.value
          ? `${screen.green(screen.sign.ok)} the store counts as it is; what came after it is lost here\n\nnext: writ session verify --all\n`
          : "the store is not behind: there is nothing to accept\n",
    });
  },
};
