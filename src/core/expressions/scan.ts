import { expressionLimits as limits } from "./limits.ts";

const token =
  /\s+|\/\/[^\n]*|[rRbB]{0,2}"""[\s\S]*?"""|[rRbB]{0,2}'''[\s\S]*?'''|[rRbB]{0,2}"(?:[^"\\\n]|\\.)*"|[rRbB]{0,2}'(?:[^'\\\n]|\\.)*'|[A-Za-z_][A-Za-z0-9_]*|[0-9][0-9A-Za-z.]*|&&|\|\||[=!<>]=|[\s\S]/gy;

/** Counts tokens in one pass before parsing: a text that could keep the parser busy never reaches it. */
export function whyTooBig(text: string): string | undefined {
  if (text.length > limits.characters) return `it has ${text.length} characters, at most ${limits.characters} are read`;
  let tokens = 0;
  let depth = 0;
  token.lastIndex = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [word] = found;
    if (/^\s|^\/\//.test(word)) continue;
    tokens += 1;
    if (word.length > limits.literal)
      return `a literal has ${word.length} characters, at most ${limits.literal} are read`;
    if ("([{".includes(word)) depth += 1;
    else if (")]}".includes(word)) depth -= 1;
    if (depth > limits.depth) return `brackets lie more than ${limits.depth} deep`;
    if (tokens > limits.tokens) return `it has more than ${limits.tokens} words and signs`;
  }
  return undefined;
}
