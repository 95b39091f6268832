/**
 * The source of the flush thread: `flushHere` with nothing but the file system. It is text, because a thread cannot be
 * started from a TypeScript file on Node 20, and the same text has to serve the sources and the build.
 */
export const flushThreadSource: string = `
"use strict";
const fs = require("node:fs");
const { parentPort } = require("node:worker_threads");
const mode = fs.constants.O_RDWR | fs.constants.O_CREAT;
let gathered = Buffer.allocUnsafeSlow(256 * 1024);

function writeAll(fd, bytes, length, position) {
  for (let done = 0; done < length; ) {
    const written = fs.writeSync(fd, bytes, done, length - done, position + done);
    if (written <= 0) throw new Error("the disk took " + done + " of " + length + " bytes");
    done += written;
  }
}

function append(path, position, { memories, ranges }, first, end) {
  let length = 0;
  for (let at = first * 3; at < end * 3; at += 3) length += ranges[at + 2] - ranges[at + 1];
  const bytes = length <= gathered.length ? gathered : Buffer.allocUnsafeSlow(length);
  let filled = 0;
  for (let at = first * 3; at < end * 3; at += 3) {
    const start = ranges[at + 1];
    bytes.set(new Uint8Array(memories[ranges[at]].buffer, start, ranges[at + 2] - start), filled);
    filled += ranges[at + 2] - start;
  }
  const fd = fs.openSync(path, mode, 0o644);
  try {
    writeAll(fd, bytes, length, position);
  } finally {
    fs.closeSync(fd);
  }
}

/** As writeSnapshot in write-snapshot.ts. */
function writeSnapshot(folder, text) {
  const half = folder + "/.snapshot.half";
  try {
    fs.writeFileSync(half, text);
    fs.renameSync(half, folder + "/snapshot.json");
  } catch (thrown) {
    if (thrown.code === undefined) throw thrown;
    fs.rmSync(half, { force: true });
  }
}

/** Of each session: the folder to be made, or nothing, and its files. */
function file({ paths, snapshots, lengths, offsets, ...lines }) {
  const filed = { done: 0, made: [] };
  const names = paths.split("\\0");
  const files = 3;
  try {
    for (let at = 0; at < names.length; at += files + 1) {
      if (names[at] !== "") filed.made.push([filed.done, fs.mkdirSync(names[at], { recursive: true })]);
      for (let file = 0; file < files; file++) {
        const which = filed.done * files + file;
        if (offsets[which] < offsets[which + 1])
          append(names[at + 1 + file], lengths[which], lines, offsets[which], offsets[which + 1]);
      }
      const text = snapshots[filed.done * 2 + 1];
      if (text !== "") writeSnapshot(snapshots[filed.done * 2], text);
      filed.done += 1;
    }
  } catch (thrown) {
    filed.failure = { message: thrown.message, code: thrown.code };
  }
  return filed;
}

parentPort.on("message", (round) => parentPort.postMessage(file(round)));
parentPort.postMessage("ready");
`;
