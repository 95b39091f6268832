const counter = /const (func\d+) = require\("ajv\/dist\/runtime\/ucs2length"\)\.default;/;

/**
 * JSON Schema counts characters, JavaScript counts UTF-16 units, and a character has one or two: nearly always the units, which
 * are there, say what the characters would. Ajv's code counts every text twice, 8 MiB of it too, to see that it is not empty.
 */
export function withQuickLengths(code) {
  const count = counter.exec(code)?.[1];
  if (count === undefined) return code;
  return code.replace(new RegExp(`\\b${count}\\((data\\d*)\\) ([<>]) (\\d+)`, "g"), (counted, text, sense, limit) => {
    if (sense === ">") return `(${text}.length > ${limit} && ${counted})`;
    return `(${text}.length < ${limit} || ${text}.length < ${2 * limit} && ${counted})`;
  });
}
