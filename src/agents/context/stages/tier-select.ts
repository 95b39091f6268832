import { ok } from "#core/values";
import type { RunStage } from "../pipeline/stage.ts";

/** On which planes the following stages look. */
export const tierSelect: RunStage<"tier_select"> = ({ tiers }) =>
  ok({ does: "look", tiers, found: tiers.length, asked: { tiers } });
