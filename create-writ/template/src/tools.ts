import { defineTool } from "writ";
import { z } from "zod";

/** What the agent can do. An order has to name it, hooks may refuse it, and every call is recorded. */
export const forecast = defineTool({
  name: "weather.forecast",
  description: "The weather of a town.",
  input: z.object({ town: z.string().min(1) }),
  output: z.object({ sky: z.string() }),
  effect: "read",
  run: ({ town }) => ({ sky: `sun over ${town}` }),
});
