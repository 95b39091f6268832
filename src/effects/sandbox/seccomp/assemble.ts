import { invariant } from "#core/values";

/** Classic BPF as seccomp takes it: eight bytes an instruction, jumps of at most 255 instructions, forward only. */
export type Instruction =
  | { readonly op: "load"; readonly offset: number }
  | { readonly op: "and"; readonly mask: number }
  | { readonly op: "return"; readonly value: number }
  /** Jumps to a label when the test holds, otherwise goes on. */
  | {
      readonly op: "if";
      readonly test: "equal" | "atLeast" | "above" | "anyBit";
      readonly value: number;
      readonly to: string;
    }
  | { readonly op: "goto"; readonly to: string }
  | { readonly op: "label"; readonly name: string };

const tests = { equal: 0x15, atLeast: 0x35, above: 0x25, anyBit: 0x45 } as const;

export function assemble(program: readonly Instruction[]): Uint8Array {
  const positions = new Map<string, number>();
  let count = 0;
  for (const instruction of program) {
    if (instruction.op === "label") positions.set(instruction.name, count);
    else count += instruction.op === "if" ? 2 : 1;
  }
  const bytes = new Uint8Array(count * 8);
  const view = new DataView(bytes.buffer);
  let at = 0;
  const emit = (code: number, jumpTrue: number, jumpFalse: number, value: number) => {
    view.setUint16(at * 8, code, true);
    view.setUint8(at * 8 + 2, jumpTrue);
    view.setUint8(at * 8 + 3, jumpFalse);
    view.setUint32(at * 8 + 4, value >>> 0, true);
    at += 1;
  };
  const distance = (label: string) => {
    const target = positions.get(label);
    invariant(target !== undefined && target > at, `the label ${label} lies ahead`);
    return target - at - 1;
  };
  for (const instruction of program) {
    switch (instruction.op) {
      case "load":
        emit(0x20, 0, 0, instruction.offset);
        break;
      case "and":
        emit(0x54, 0, 0, instruction.mask);
        break;
      case "return":
        emit(0x06, 0, 0, instruction.value);
        break;
      case "if":
        // A conditional jump reaches 255 instructions, an unconditional one any: so every test skips over a goto.
        emit(tests[instruction.test], 0, 1, instruction.value);
        emit(0x05, 0, 0, distance(instruction.to));
        break;
      case "goto":
        emit(0x05, 0, 0, distance(instruction.to));
        break;
      case "label":
        break;
    }
  }
  invariant(count <= 4096, "a seccomp program has at most 4096 instructions");
  return bytes;
}
