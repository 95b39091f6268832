/** The shape of a command: every answer that its help, the reference, the runner and its tests ask for. */
export {
  type Answer,
  act,
  CommandEnded,
  CommandFailed,
  type Invocation,
  printWhileOpen,
  writeDocument,
} from "./act.ts";
export {
  type ArgumentSpec,
  anyNumber,
  argument,
  type Command,
  type CommandGroup,
  type CommandNode,
  type CommandRowOf,
  type Example,
  type Exits,
  flag,
  type HelpText,
  type MaybeText,
  type Opener,
  type Openers,
  type Opens,
  type OptionSpec,
  type OptionSpecs,
  optional,
  repeatedText,
  requiredText,
  requiredTexts,
  type SureText,
  text,
  textOr,
  texts,
} from "./command.ts";
export { type CliContext, type Dialogue, type Output, whileRead } from "./context.ts";
export { daysMs } from "./days.ts";
export { type ExitStatus, exitStatus, exitStatusOf, statusOfAbort } from "./exit-status.ts";
export { expiryOf } from "./expiry-of.ts";
export { numberOption } from "./number-option.ts";
