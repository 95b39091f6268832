import { messageOf } from "#core/errors";
import { type Clock, isJsonObject, parseJson } from "#core/values";
import type { Connection, Vendor } from "../../provider-kind.ts";
import { codeOf, openWire } from "./wire.ts";

/** What a server says about a model's name, without a prompt and without cost. */
export type ModelInquiry =
  | { readonly answer: "known" }
  | { readonly answer: "unknown"; readonly models: readonly string[] }
  | { readonly answer: "refused"; readonly status: number; readonly said: string }
  | { readonly answer: "no such place"; readonly status: number }
  | { readonly answer: "unreachable"; readonly code: string };

const limitMs = 10_000;
const maxBytes = 4 * 1024 * 1024;

/** Asks for the model's card and, where the server has none, for the list of its models. */
export async function askAboutModel(
  vendor: Vendor,
  connection: Connection,
  model: string,
  context: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<ModelInquiry> {
  const get = async (path: string): Promise<{ readonly status: number; readonly text: string }> => {
    const controller = new AbortController();
    const abort = () => controller.abort();
    context.signal.addEventListener("abort", abort, { once: true });
    const cancelTimer = context.clock.after(limitMs, abort);
    const wire = openWire(context.clock, { idleMs: limitMs, maxBytes }, controller);
    try {
      const response = await wire.fetch(`${connection.baseUrl}${path}`, {
        headers: vendor.headers(connection),
        signal: controller.signal,
      });
      return { status: response.status, text: await response.text() };
    } finally {
      cancelTimer();
      wire.close();
      context.signal.removeEventListener("abort", abort);
    }
  };
  try {
    const card = await get(`/models/${encodeURIComponent(model)}`);
    if (card.status < 300) return { answer: "known" };
    if (card.status !== 404) return { answer: "refused", status: card.status, said: saidIn(card.text) };
    const list = await get("/models");
    // A server without a list still names the model that it does not have.
    if (list.status === 404 && parseJson(card.text).ok && saidIn(card.text).includes(model))
      return { answer: "unknown", models: [] };
    if (list.status === 404) return { answer: "no such place", status: 404 };
    if (list.status >= 300) return { answer: "refused", status: list.status, said: saidIn(list.text) };
    const models = namesIn(list.text);
    return models.includes(model) ? { answer: "known" } : { answer: "unknown", models };
  } catch (thrown) {
    return { answer: "unreachable", code: codeOf(thrown) ?? messageOf(thrown) };
  }
}

/** `{data: [{id}]}` of Anthropic and OpenAI, `{models: [{name: "models/…"}]}` of Google. */
function namesIn(text: string): readonly string[] {
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return [];
  const { data, models } = parsed.value;
  const rows = Array.isArray(data) ? data : Array.isArray(models) ? models : [];
  return rows.filter(isJsonObject).flatMap(({ id, name }) => {
    const found = id ?? name;
    return typeof found === "string" ? [found.replace(/^models\//, "")] : [];
  });
}

function saidIn(text: string): string {
  const parsed = parseJson(text);
  const error = parsed.ok && isJsonObject(parsed.value) ? parsed.value["error"] : undefined;
  const message = isJsonObject(error) ? error["message"] : undefined;
  return (typeof message === "string" ? message : text).replaceAll(/\s+/g, " ").trim().slice(0, 200);
}
