import { type JsonObject, ok, type Result } from "#core/values";
import { absolute, list, one, only, type Place, pathIn, refused, type ToolShape, text } from "./tool-shape.ts";

/** How Claude Code reads a file. */
const read: ToolShape = {
  name: "Read",
  count: one,
  show: ({ path, start_line, line_count }, { root }) => ({
    file_path: absolute(root, text(path)),
    ...(typeof start_line === "number" ? { offset: start_line } : {}),
    ...(typeof line_count === "number" ? { limit: line_count } : {}),
  }),
  apply: (args, input, at) => {
    const path = pathIn(input, "file_path", { args, at });
    if (path === undefined) return ok(input);
    const checked = path.ok ? only(input, "Read", ["file_path", "offset", "limit"]) : path;
    if (!checked.ok || !path.ok) return checked as Result<never>;
    return ok({
      path: path.value,
      ...(typeof input["offset"] === "number" ? { start_line: Math.max(1, input["offset"]) } : {}),
      ...(typeof input["limit"] === "number" ? { line_count: input["limit"] } : {}),
    });
  },
};

const notebookRead: ToolShape = {
  ...read,
  name: "NotebookRead",
  show: ({ path }, { root }) => ({ notebook_path: absolute(root, text(path)) }),
  apply: (args, input, at) => renamed(args, input, { at, field: "notebook_path", tool: "NotebookRead" }),
};

/** How it writes one whole, and what stands for that where a hook is asked about edits alone. */
const write: ToolShape = {
  name: "Write",
  count: one,
  show: ({ path, content }, { root }) => ({ file_path: absolute(root, text(path)), content: text(content) }),
  apply: (args, input, at) => {
    const path = pathIn(input, "file_path", { args, at });
    if (path === undefined) return ok(input);
    const checked = path.ok ? only(input, "Write", ["file_path", "content"]) : path;
    if (!checked.ok || !path.ok) return checked as Result<never>;
    return ok({ ...args, path: path.value, content: input["content"] ?? args["content"] ?? "" });
  },
};

/** A file written whole, where only a hook for edits is asked: an edit of nothing into all of it. */
const writeAsEdit: ToolShape = {
  name: "Edit",
  count: one,
  show: (args, at) => ({
    file_path: write.show(args, at)["file_path"] ?? "",
    old_string: "",
    new_string: text(args["content"]),
  }),
  apply: (args, input, at) => {
    const { new_string, old_string: _, replace_all: __, ...rest } = input;
    return write.apply(args, new_string === undefined ? rest : { ...rest, content: new_string }, at);
  },
};

const writeAsMultiEdit: ToolShape = {
  name: "MultiEdit",
  count: one,
  show: (args, at) => {
    const { file_path = "", ...edit } = writeAsEdit.show(args, at);
    return { file_path, edits: [edit] };
  },
  apply: (args, input, at) => {
    const { edits, ...rest } = input;
    const [first] = list(edits);
    return first ? writeAsEdit.apply(args, { ...rest, ...first }, at) : write.apply(args, rest, at);
  },
};

const writeAsNotebook: ToolShape = {
  name: "NotebookEdit",
  count: one,
  show: (args, { root }) => ({
    notebook_path: absolute(root, text(args["path"])),
    new_source: text(args["content"]),
    edit_mode: "replace",
  }),
  apply: (args, input, at) => renamed(args, input, { at, field: "notebook_path", tool: "NotebookEdit" }),
};

const editFields = ["file_path", "old_string", "new_string", "replace_all"];

/** Claude Code changes one place in a call: each edit of a list is a call of its own. */
const edit: ToolShape = {
  name: "Edit",
  count: ({ edits }) => Math.max(1, list(edits).length),
  show: ({ path, edits }, { root, index }) => ({
    file_path: absolute(root, text(path)),
    ...claudeEdit(list(edits)[index] ?? {}),
  }),
  apply: (args, input, at) => {
    const path = pathIn(input, "file_path", { args, at });
    if (path === undefined) return ok(input);
    const checked = path.ok ? only(input, "Edit", editFields) : path;
    if (!checked.ok || !path.ok) return checked as Result<never>;
    const edits = list(args["edits"]);
    if (edits.length > 1 && path.value !== args["path"])
      return refused("it moves one of several edits of a file to another file");
    return ok({
      ...args,
      path: path.value,
      edits: edits.map((each, index) => (index === at.index ? writEdit(each, input) : each)),
    });
  },
};

const multiEdit: ToolShape = {
  name: "MultiEdit",
  count: one,
  show: ({ path, edits }, { root }) => ({
    file_path: absolute(root, text(path)),
    edits: list(edits).map(claudeEdit),
  }),
  apply: (args, input, at) => {
    const path = pathIn(input, "file_path", { args, at });
    if (path === undefined) return ok(input);
    const checked = path.ok ? only(input, "MultiEdit", ["file_path", "edits"]) : path;
    if (!checked.ok || !path.ok) return checked as Result<never>;
    return ok({ ...args, path: path.value, edits: list(input["edits"]).map((each) => writEdit({}, each)) });
  },
};

const editAsNotebook: ToolShape = {
  name: "NotebookEdit",
  count: edit.count,
  show: ({ path, edits }, { root, index }) => ({
    notebook_path: absolute(root, text(path)),
    new_source: text(list(edits)[index]?.["new"]),
    edit_mode: "replace",
  }),
  apply: (args, input, at) => {
    const { new_source, notebook_path, edit_mode: _, ...rest } = input;
    const changed = { ...rest, ...(new_source === undefined ? {} : { new_string: new_source }) };
    return edit.apply(args, notebook_path === undefined ? changed : { ...changed, file_path: notebook_path }, at);
  },
};

function claudeEdit({ old, new: next, all }: JsonObject): JsonObject {
  return { old_string: text(old), new_string: text(next), replace_all: all === true };
}

function writEdit(before: JsonObject, input: JsonObject): JsonObject {
  const all = input["replace_all"] ?? before["all"];
  return {
    old: input["old_string"] ?? before["old"] ?? "",
    new: input["new_string"] ?? before["new"] ?? "",
    ...(all === true ? { all: true } : {}),
  };
}

/** For shapes of notebooks, which change nothing but the path. */
function renamed(
  args: JsonObject,
  input: JsonObject,
  { at, field, tool }: { readonly at: Place; readonly field: string; readonly tool: string },
): Result<JsonObject> {
  const path = pathIn(input, field, { args, at });
  if (path === undefined) return ok(input);
  if (!path.ok) return path;
  const source = input["new_source"];
  const checked = only(input, tool, [field, "new_source", "edit_mode"]);
  if (!checked.ok) return checked;
  return ok({ ...args, path: path.value, ...(typeof source === "string" ? { content: source } : {}) });
}

/** By the tool of Writ, in the order of their names there. */
export const fileShapes: Readonly<Record<string, readonly ToolShape[]>> = {
  "fs.read": [read, notebookRead],
  "fs.write": [write, writeAsEdit, writeAsMultiEdit, writeAsNotebook],
  "fs.edit": [edit, multiEdit, editAsNotebook],
};
