import type { Architecture } from "../seccomp/syscall-table.ts";
import { callNumbers } from "./calls.ts";
import { gateFunction } from "./gate-function.ts";
import { idmapFunction, ownMountsFunction } from "./idmap.ts";

/**
 * The holder in one process. It does what the shell's holder does with seven programs, call by call: a mount namespace (and,
 * for an ordinary user, a user namespace), the place of the overlay shared so that its mount arrives in the waiting sandbox,
 * the layer's own space if its size is held by one, bubblewrap under the turn's id, the id-mapped view, at last the overlay, and
 * the gate where hosts were named. Arguments: KIND UID GID SLOT ROOT SPACE (the options of the file system for the layer, or
 * nothing), the number of control groups and their files, the number of bound paths and the paths, then bubblewrap's command.
 */
export function holderProgram(architecture: Architecture): string {
  return `${callNumbers(architecture)}${idmapFunction}${ownMountsFunction}${gateFunction}
my ($kind, $uid, $gid, $slot, $root, $space, $joins, @bwrap) = @ARGV;
for my $file (splice @bwrap, 0, $joins) { put($file, "0") }
my @binds = splice @bwrap, 0, shift @bwrap;
my ($me, $mine) = ($<, (split / /, $()[0]);
my $own = $kind eq "self" || $kind eq "mapped";
own_mounts($own ? 0x10020000 : 0x20000);
if ($own) { put("/proc/self/setgroups", "deny"); put("/proc/self/uid_map", "0 $me 1\\n"); put("/proc/self/gid_map", "0 $mine 1\\n") }
sub mounted { my ($what, $where, $type, $flags, $data) = @_; syscall($MOUNT, $what, $where, $type, $flags, $data) == 0 or die "mount $where: $!" }
chdir $slot or die "$slot: $!";
mounted("merged", "merged", 0, 0x1000, 0);
mounted("none", "merged", 0, 0x100000, 0);
for my $at (0 .. $#binds) {
  # A file system that takes no id-mapped mounts is shown as it is: what everybody may read there can be read.
  eval { idmap($binds[$at], "$slot/bind-$at", $uid, $gid); 1 } or mounted($binds[$at], "$slot/bind-$at", 0, 0x1000, 0);
}
if ($space ne "") {
  mounted("tmpfs", "space", "tmpfs", 6, $space);
  for my $each ("upper", "work") { mkdir "space/$each" or die "space: $!"; chmod((stat "$slot/mask")[2] & 0777, "space/$each") or die "space: $!" }
  if (!$own) { chown($uid, $gid, "space", "space/upper") == 2 or die "space: $!" }
}
my $pid = fork(); defined $pid or die "fork: $!";
if (!$pid) {
  syscall($CLOSE, 5);
  if (!$own) {
    syscall($SETGROUPS, 0, 0) == 0 or die "setgroups: $!";
    syscall($SETRESGID, $gid + 0, $gid + 0, $gid + 0) == 0 or die "setresgid: $!";
    syscall($SETRESUID, $uid + 0, $uid + 0, $uid + 0) == 0 or die "setresuid: $!";
    syscall($PRCTL, 38, 1, 0, 0, 0) == 0 or die "no_new_privs: $!";
  }
  syscall($PRCTL, 1, 9, 0, 0, 0) == 0 or die "die with parent: $!";
  exec { $bwrap[0] } @bwrap or die "$bwrap[0]: $!";
}
syscall($CLOSE, $_) for (0, 3, 4, 6);
open(my $control, "+<&=", 5) or die "control: $!";
idmap($root, "$slot/lower", $uid, $gid) if $kind eq "shifted";
syswrite($control, "ready\\n");
my $options = "";
while ($options !~ /\\n\\z/) { sysread($control, $options, 65536, length $options) or exit 0 }
chomp $options;
mounted("overlay", "merged", "overlay", 6, $options);
syswrite($control, "mounted\\n");
my $asked = "";
while (sysread($control, $asked, 4096, length $asked)) {
  if ($asked =~ s/^gate (\\d+) (\\d+) (\\S+)\\n//) { gate($1, $2, $3); syswrite($control, "gated\\n") }
}
`;
}
