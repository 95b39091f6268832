import { expect, test } from "vitest";
import type { JsonObject } from "#core/values";
import { answerTo, fieldsOf, misfitOf, typedValue } from "./answer-form.ts";

const form: JsonObject = {
  type: "object",
  properties: {
    guests: { type: "integer", minimum: 1, maximum: 9, title: "Guests" },
    note: { type: "string", default: "none", maxLength: 20 },
    mail: { type: "string", format: "email" },
    window: { type: "boolean", default: true },
    room: { type: "string", enum: ["a", "b"], enumNames: ["Ante-room", "Big room"] },
    floor: { type: "string", oneOf: [{ const: "1", title: "First" }] },
    dishes: { type: "array", items: { anyOf: [{ const: "fish", title: "Fish" }, { const: "rice" }] }, maxItems: 2 },
  },
  required: ["guests"],
};

test("every kind of field is read, with its choices, limits and default", () => {
  const shown = fieldsOf(form).map(({ name, kind, limits, choices }) => [name, kind, limits, choices.length]);
  expect(shown).toEqual([
    ["guests", "integer", "at least 1, at most 9", 0],
    ["note", "text", "at most 20 characters", 0],
    ["mail", "text", "email", 0],
    ["window", "boolean", "", 0],
    ["room", "one of", "", 2],
    ["floor", "one of", "", 1],
    ["dishes", "some of", "at most 2 of them", 2],
  ]);
  expect(fieldsOf(form).find(({ name }) => name === "room")?.choices[1]).toEqual({ value: "b", title: "Big room" });
});

test.for([
  [{ guests: 4 }, undefined],
  [{}, "guests is wanted"],
  [{ guests: 0 }, "guests is at least 1, at most 9"],
  [{ guests: 1.5 }, "guests is a whole number"],
  [{ guests: "4" }, "guests is a whole number"],
  [{ guests: 4, note: "x".repeat(21) }, "note has at most 20 characters"],
  [{ guests: 4, mail: "ada" }, "mail is no email"],
  [{ guests: 4, window: "yes" }, "window is true or false"],
  [{ guests: 4, room: "c" }, "room is one of a, b"],
  [{ guests: 4, dishes: ["fish", "meat"] }, "dishes is a list, each one of fish, rice"],
  [{ guests: 4, dishes: ["fish", "rice", "fish"] }, "dishes holds at most 2 of them"],
  [
    { guests: 4, smoking: true },
    'there is no field "smoking"; there is guests, note, mail, window, room, floor, dishes',
  ],
] as const)("%j: %s", ([answer, why]) => {
  expect(misfitOf(form, answer as JsonObject)).toBe(why);
});

test("defaults fill what is left out, and words alone are the only text of a form", () => {
  expect(answerTo(form, { guests: 4 }, "")).toEqual({ guests: 4, note: "none", window: true });
  const name = { type: "object", properties: { name: { type: "string" }, ok: { type: "boolean" } } };
  expect(answerTo(name, null, "Ada")).toEqual({ name: "Ada" });
});

test("what is typed becomes a value of its kind, or none", () => {
  expect(["4", "4.5", "", "many"].map((words) => typedValue({ kind: "number" }, words))).toEqual([
    4,
    4.5,
    undefined,
    undefined,
  ]);
  expect(["yes", "No", "perhaps"].map((words) => typedValue({ kind: "boolean" }, words))).toEqual([
    true,
    false,
    undefined,
  ]);
  expect(typedValue({ kind: "some of" }, "fish, rice")).toEqual(["fish", "rice"]);
});

test.for([
  ["password", {}, true],
  ["field", { title: "Your API key" }, true],
  ["field", { description: "The PIN of your card" }, true],
  ["access_token", {}, true],
  ["name", { title: "Your name" }, false],
  ["spinner", {}, false],
] as const)("a field %s %j asks for a secret: %s", ([name, words, isSecret]) => {
  const [field] = fieldsOf({ type: "object", properties: { [name]: { type: "string", ...words } } });
  expect(field?.isSecret).toBe(isSecret);
});
