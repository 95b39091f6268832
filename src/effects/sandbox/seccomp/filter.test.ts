import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assemble } from "./assemble.ts";
import { architectureOf, seccompFilter } from "./filter.ts";
import { type Architecture, syscallTable } from "./syscall-table.ts";

const audit = { x86_64: 0xc000003e, aarch64: 0xc00000b7 } as const;
const allow = 0x7fff0000;
const kill = 0x80000000;
const errno = (number: number) => 0x00050000 | number;

/** The kernel's part: runs a filter over one call. */
function evaluate(bytes: Uint8Array, call: { nr: number; arch: number; args?: readonly number[] }): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.nr, true);
  data.setUint32(4, call.arch, true);
  for (const [index, value] of (call.args ?? []).entries()) data.setUint32(16 + index * 8, value >>> 0, true);
  const program = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let accumulator = 0;
  for (let at = 0; at < bytes.length / 8; at++) {
    const code = program.getUint16(at * 8, true);
    const [jumpTrue, jumpFalse, k] = [
      program.getUint8(at * 8 + 2),
      program.getUint8(at * 8 + 3),
      program.getUint32(at * 8 + 4, true),
    ];
    const jump = (holds: boolean) => (at += holds ? jumpTrue : jumpFalse);
    if (code === 0x20) accumulator = data.getUint32(k, true);
    else if (code === 0x54) accumulator = (accumulator & k) >>> 0;
    else if (code === 0x06) return k;
    else if (code === 0x05) at += k;
    else if (code === 0x15) jump(accumulator === k);
    else if (code === 0x35) jump(accumulator >= k);
    else if (code === 0x25) jump(accumulator > k);
    else if (code === 0x45) jump((accumulator & k) !== 0);
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error("the program ran off its end");
}

describe.each<Architecture>(["x86_64", "aarch64"])("the filter for %s", (architecture) => {
  const table = syscallTable(architecture);
  const filter = seccompFilter(architecture, { network: false });
  const answer = (name: string, ...args: number[]) =>
    evaluate(filter.bytes, { nr: table.get(name) ?? -1, arch: audit[architecture], args });

  test("lets ordinary programs work", () => {
    for (const name of [
      "read",
      "write",
      "openat",
      "execve",
      "mmap",
      "futex",
      "exit_group",
      "clone",
      "getrandom",
      "pipe2",
      "statx",
      "rseq",
      "wait4",
    ])
      expect(answer(name), name).toBe(allow);
  });

  test.each([
    "ptrace",
    "mount",
    "bpf",
    "keyctl",
    "open_by_handle_at",
    "setns",
    "unshare",
    "pivot_root",
    "chroot",
    "process_vm_writev",
    "pidfd_getfd",
    "userfaultfd",
    "perf_event_open",
    "init_module",
    "shmget",
    "mq_open",
    "kexec_load",
    "reboot",
  ])("refuses %s", (name) => expect(answer(name)).toBe(errno(1)));

  test("says that clone3, io_uring and unknown calls do not exist", () => {
    for (const name of ["clone3", "io_uring_setup"]) expect(answer(name), name).toBe(errno(38));
    for (const nr of [467, 468, 500, 10_000, 0x3fffffff])
      expect(evaluate(filter.bytes, { nr, arch: audit[architecture] }), String(nr)).toBe(errno(38));
  });

  test("attributes are not supported", () => expect(answer("setxattr")).toBe(errno(95)));

  test("refuses namespaces to clone, whatever else is asked", () => {
    for (const flag of [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000])
      expect(answer("clone", flag | 17)).toBe(errno(1));
    expect(answer("clone", 0x003d0f00)).toBe(allow); // what pthread_create asks
  });

  test("makes no sockets, and internet ones only where the network is granted", () => {
    for (const family of [1, 2, 10, 16, 17, 40]) expect(answer("socket", family)).toBe(errno(97));
    expect(answer("socketpair", 1)).toBe(allow);
    const open = seccompFilter(architecture, { network: true });
    const socket = (family: number) =>
      evaluate(open.bytes, { nr: table.get("socket") ?? -1, arch: audit[architecture], args: [family] });
    expect([socket(2), socket(10)]).toEqual([allow, allow]);
    for (const family of [1, 16, 17, 40]) expect(socket(family)).toBe(errno(97));
  });

  test("makes no devices", () => {
    expect(answer("mknodat", 0, 0, 0o060600)).toBe(errno(1));
    expect(answer("mknodat", 0, 0, 0o020600)).toBe(errno(1));
    expect(answer("mknodat", 0, 0, 0o010600)).toBe(allow);
  });

  test("types nothing into a terminal", () => {
    expect(answer("ioctl", 0, 0x5412)).toBe(errno(1));
    expect(answer("ioctl", 0, 0x5401)).toBe(allow);
  });

  test("ends a process that comes through another interface", () => {
    for (const arch of [0x40000003, 0xc000003e, 0xc00000b7].filter((each) => each !== audit[architecture]))
      expect(evaluate(filter.bytes, { nr: 0, arch })).toBe(kill);
    const x32 = evaluate(filter.bytes, { nr: 0x40000001, arch: audit[architecture] });
    expect(x32).toBe(architecture === "x86_64" ? kill : errno(38));
  });

  test("answers every call there could be, and allows none that is not in the table", () => {
    const known = new Set(table.values());
    fc.assert(
      fc.property(fc.nat(0xffff), (nr) => {
        const value = evaluate(filter.bytes, { nr, arch: audit[architecture] });
        if (!known.has(nr)) expect(value).toBe(errno(38));
      }),
      { numRuns: 2000 },
    );
  });

  test("is the same each time, and fits the kernel", () => {
    expect(seccompFilter(architecture, { network: false }).hash).toBe(filter.hash);
    expect(filter.bytes.length / 8).toBeLessThanOrEqual(4096);
  });
});

test("a jump to a label that is not ahead is a defect of ours", () => {
  expect(() =>
    assemble([
      { op: "label", name: "back" },
      { op: "goto", to: "back" },
    ]),
  ).toThrow("ahead");
});

test("machines without a syscall table are recognised", () => {
  expect(architectureOf("x64")).toBe("x86_64");
  expect(architectureOf("arm64")).toBe("aarch64");
  expect(architectureOf("riscv64")).toBeUndefined();
});
