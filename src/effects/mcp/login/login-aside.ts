import { ok, type Result } from "#core/values";
import type { McpCredentialKeeper, McpCredentials } from "#workspace";

/**
 * A login until it is whole. It begins with nothing (a client that was registered for another door of this machine is of no
 * use at this one), and one that comes to nothing leaves the login that there was.
 */
export function loginAside(keeper: McpCredentialKeeper): {
  readonly keeper: McpCredentialKeeper;
  readonly keep: (server: string) => Promise<Result<void>>;
} {
  let aside: McpCredentials = {};
  return {
    keeper: {
      load: () => Promise.resolve(ok(aside)),
      save(_, credentials) {
        aside = credentials;
        return Promise.resolve(ok(undefined));
      },
      inTurn: (server, work) => keeper.inTurn(server, work),
    },
    async keep(server) {
      let saved: Result<void> = ok(undefined);
      // Or a renewal of the old login that is under way would be saved over the new one.
      const done = await keeper.inTurn(server, async () => {
        saved = await keeper.save(server, aside);
      });
      return done.ok ? saved : done;
    },
  };
}
