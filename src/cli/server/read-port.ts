import { domainError, err, ok, type Result } from "#base";

export function readPort(text: string): Result<number> {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return ok(port);
  return err(domainError("MALFORMED_INPUT", `--port takes a number from 0 to 65535, not "${text}"`));
}
