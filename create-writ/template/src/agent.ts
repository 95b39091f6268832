import { type OpenWorkspace, openWorkspace, unwrap, type Workspace } from "writ";
import { noThule } from "./hooks.js";
import { model } from "./model.js";
import { forecast } from "./tools.js";

/** The agent's workspace: a folder with its records. The tests open one of their own, with a model of their own. */
export async function openAgent(root: string, more: Partial<OpenWorkspace> = {}): Promise<Workspace> {
  return unwrap(await openWorkspace({ root, tools: [forecast], hooks: [noThule], ...model, ...more }));
}

/** What every message may do, and spend. */
export const order = { tools: ["weather.forecast"], tokens: 20_000 };
