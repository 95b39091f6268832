import type { Architecture } from "../seccomp/syscall-table.ts";
import { callNumbers } from "./calls.ts";

/**
 * Pid 1 of the sandbox: waits for its one command, puts Landlock round itself, sets the limits, runs the command, and takes
 * everything with it when that ends. Landlock is per thread and must not be applied in a program that goes on (D1): here it
 * is, in a process of one thread, and everything that runs is started after it.
 * Arguments: the version of Landlock's interface (0 for none), 0 or 1 for the network (or the gate's port), the workspace,
 * and further paths that may be written.
 */
export function launcherProgram(architecture: Architecture): string {
  return `${callNumbers(architecture)}
my ($abi, $network, $root, @writable) = @ARGV;
open(my $go, "<&=", 6) or exit 125;
my $line = <$go>; defined $line or exit 125; close $go; chomp $line;
my @words = map { s/%([0-9a-f]{2})/chr hex $1/ger } split / /, $line, -1;
sub failed { print STDERR "the sandbox could not be entered: $_[0]: $!\\n"; exit 126 }
${landlock}
for my $limit ([4, 0], [0, shift @words], [2, shift @words], [1, shift @words], [7, shift @words], [6, shift @words]) {
  my $pair = pack("QQ", $limit->[1], $limit->[1]);
  syscall($PRLIMIT, 0, $limit->[0], $pair, 0) == 0 or failed("limit $limit->[0]");
}
chdir $root or failed($root);
my $variables = shift @words;
%ENV = splice @words, 0, 2 * $variables;
my $pid = fork(); defined $pid or failed("fork");
if (!$pid) { exec { $words[0] } @words; my $none = $! == 2; print STDERR "$words[0]: $!\\n"; exit($none ? 127 : 126) }
waitpid($pid, 0);
exit($? & 127 ? 128 + ($? & 127) : $? >> 8);
`;
}

/*
 * Rights over files: 1 execute, 2 write, 4 read, 8 list, 0x10 and 0x20 remove, 0x40 to 0x1000 make (0x40 and 0x800 are
 * devices), 0x2000 refer, 0x4000 truncate, 0x8000 ioctl of devices. Everything may be read and run that the root shows;
 * writing is for the workspace and the scratch places, devices may be written and not made, and standard input and output
 * are files that lie outside.
 */
const landlock = `
if ($abi > 0) {
  my $all = $abi >= 5 ? 0xffff : $abi >= 3 ? 0x7fff : 0x3fff;
  my $attributes = pack("QQQ", $all, $abi >= 4 && $network != 1 ? 3 : 0, $abi >= 6 ? 3 : 0);
  my $rules = syscall(444, $attributes, 24, 0); $rules >= 0 or failed("landlock");
  my $allow = sub { my $rule = pack("Ql", $_[1] & $all, $_[0]); syscall(445, $rules, 1, $rule, 0) == 0 or failed("landlock") };
  my $below = sub { my ($path, $rights) = @_; my $at = syscall($OPENAT, -100, $path, 0x280000, 0); $at >= 0 or failed($path); $allow->($at, $rights); syscall($CLOSE, $at) };
  $below->("/", 0xd);
  $below->("/dev", 0x800e);
  $below->($_, -d $_ ? 0x77bf : 0x4006) for ($root, "/tmp", "/dev/shm", @writable);
  $allow->($_, 0x4006) for (0, 1, 2);
  if ($abi >= 4 && $network > 1) { my $gate = pack("QQ", 2, $network); syscall(445, $rules, 2, $gate, 0) == 0 or failed("landlock") }
  syscall(446, $rules, 0) == 0 or failed("landlock");
  syscall($CLOSE, $rules);
}`;
