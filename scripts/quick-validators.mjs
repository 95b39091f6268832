/** Ajv's code, where every event passes, without what it does in vain. What it accepts and refuses stays the same. */
export function quickened(code) {
  return quickHashes(quickLengths(quickOwnership(code)));
}

const owner = /const (func\d+) = Object\.prototype\.hasOwnProperty;/;
const begin =
  /function validate\d+\(data, \{instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors=\{\}\}=\{\}\)\{/g;

/**
 * Ajv asks of every key that has a value whether it is the object's own. What stands right above `Object.prototype` inherits
 * nothing that a contract names, unless a program gave all objects a key, which is looked for once: then it is asked as before.
 */
function quickOwnership(code) {
  const owns = owner.exec(code)?.[1];
  if (owns === undefined) return code;
  const asked = new RegExp(`\\b${owns}\\.call\\((data\\d*), ("[^"]*")\\)`, "g");
  const quick = code
    .replace(asked, (call, object, key) =>
      JSON.parse(key) in Object.prototype ? call : `(Object.getPrototypeOf(${object}) === ordinary || ${call})`,
    )
    .replace(begin, (head) => `${head}${findOrdinary}`);
  return quick.includes("=== ordinary") ? quick : code;
}

const findOrdinary = "let ordinary = Object.prototype;for(const _ in ordinary){ordinary = undefined;break;}";

const counter = /const (func\d+) = require\("ajv\/dist\/runtime\/ucs2length"\)\.default;/;

/**
 * JSON Schema counts characters, JavaScript counts UTF-16 units, and a character has one or two: nearly always the units, which
 * are there, say what the characters would. Ajv's code counts every text twice, 8 MiB of it too, to see that it is not empty.
 */
function quickLengths(code) {
  const count = counter.exec(code)?.[1];
  if (count === undefined) return code;
  return code.replace(new RegExp(`\\b${count}\\((data\\d*)\\) ([<>]) (\\d+)`, "g"), (counted, text, sense, limit) => {
    if (sense === ">") return `(${text}.length > ${limit} && ${counted})`;
    return `(${text}.length < ${limit} || ${text}.length < ${2 * limit} && ${counted})`;
  });
}

const hashPattern = /new RegExp\("\^\[0-9a-f\]\{64\}\$", "u"\)/g;

/** Half of what a log records are hashes; a loop that cannot be mispredicted looks at one in half of the time. */
function quickHashes(code) {
  const quick = code.replace(hashPattern, "{test:isHash}");
  return quick === code ? code : `${quick}\n${notHex}\n${isHash}\n`;
}

const notHex = "const notHex = new Uint8Array(128).fill(1).fill(0, 48, 58).fill(0, 97, 103);";

const isHash = `function isHash(text) {
  if (text.length !== 64) return false;
  let wrong = 0;
  for (let at = 0; at < 64; at++) {
    const code = text.charCodeAt(at);
    wrong |= notHex[code & 127] | (code & ~127);
  }
  return wrong === 0;
}`;
