import type { Architecture } from "../seccomp/syscall-table.ts";
import { callNumbers } from "./calls.ts";

/**
 * Stands in for bubblewrap where there is none: takes the arguments that we give bubblewrap, and builds the same root with the
 * same namespaces. It is ours and not as widely tried, so it makes a tier of its own (T2) that a profile must ask for by name.
 *
 *   monitor (waits, tells the exit status on 4) ──► pid 1 (mounts, drops everything, filter) ──exec──► the launcher
 */
export function builderProgram(architecture: Architecture): string {
  return `${callNumbers(architecture)}
sub must { my $what = shift; my $call = shift; my $done = syscall($call, $_[0] // 0, $_[1] // 0, $_[2] // 0, $_[3] // 0, $_[4] // 0); $done >= 0 or die "$what: $!\\n"; $done }
sub put { open(my $f, ">", $_[0]) or die "$_[0]: $!\\n"; syswrite($f, $_[1]) or die "$_[0]: $!\\n"; close $f }
my (%set, @build);
my %takes = (uid => 1, gid => 1, "cap-drop" => 1, hostname => 1, seccomp => 1, "json-status-fd" => 1, size => 1, perms => 1);
my %builds = ("ro-bind" => 2, "ro-bind-try" => 2, bind => 2, symlink => 2, proc => 1, dev => 1, tmpfs => 1, "remount-ro" => 1);
while (@ARGV) {
  my $option = shift @ARGV; last if $option eq "--"; $option =~ s/^--// or die "unexpected $option\\n";
  if ($builds{$option}) { push @build, [$option, {%set}, splice @ARGV, 0, $builds{$option}]; delete @set{"size", "perms"} }
  else { $set{$option} = $takes{$option} ? shift @ARGV : 1 }
}
$set{"cap-drop"} eq "ALL" && $set{"unshare-all"} && $set{clearenv} or die "a layer was left out\\n";
my ($me, $mine) = ($<, (split / /, $()[0]);
my $parent = getppid; must("die with parent", $PRCTL, 1, 9); getppid == $parent or exit 1;
must("unshare", $UNSHARE, 0x3e020000 | ($set{"share-net"} ? 0 : 0x40000000));
put("/proc/self/setgroups", "deny"); put("/proc/self/uid_map", "$set{uid} $me 1\\n"); put("/proc/self/gid_map", "$set{gid} $mine 1\\n");
my $pid = fork(); defined $pid or die "fork: $!\\n";
if ($pid) {
  syscall($CLOSE, $_) for (0, 1, 3, 6);
  waitpid($pid, 0); my $code = $? & 127 ? 128 + ($? & 127) : $? >> 8;
  open(my $status, ">&=", $set{"json-status-fd"}); syswrite($status, "{ \\"exit-code\\": $code }\\n"); exit $code;
}
must("die with parent", $PRCTL, 1, 9);
syscall($SETSID); my $host = $set{hostname}; must("hostname", $SETHOSTNAME, $host, length $host);
sub mounted { my ($what, $where, $type, $flags, $data) = @_; must("mount $where", $MOUNT, $what, $where, $type, $flags, $data) }
sub attributes { my ($path, $set, $deep) = @_; my $attributes = pack("QQQQ", $set, 0, 0, 0); must("restrict $path", 442, -100, $path, $deep ? 0x8000 : 0, $attributes, 32) }
sub folder { my $at = ""; for (split m{/}, $_[0]) { next if $_ eq ""; $at .= "/$_"; mkdir "/new$at", 0755 unless -e "/new$at" } }
sub place { my ($from, $to) = @_; $to =~ m{^(.*)/}; folder($1); if (-d $from) { folder($to) } elsif (!-e "/new$to") { open(my $f, ">", "/new$to") or die "$to: $!\\n" } }
sub bound { my ($from, $to, $set, $deep) = @_; place("/old$from", $to); mounted("/old$from", "/new$to", 0, 0x5000, 0); attributes("/new$to", $set, $deep) }
mounted("none", "/", 0, 0x84000, 0);
mounted("tmpfs", "/tmp", "tmpfs", 6, "mode=755"); chdir "/tmp" or die; mkdir "old", 0755; mkdir "new", 0755;
my ($here, $old) = (".", "old"); must("pivot_root", $PIVOT_ROOT, $here, $old); chdir "/";
mounted("tmpfs", "/new", "tmpfs", 6, "mode=755");
for (@build) {
  my ($what, $with, $one, $two) = @$_;
  if ($what eq "symlink") { $two =~ m{^(.*)/}; folder($1); symlink $one, "/new$two" or die "$two: $!\\n" }
  elsif ($what eq "proc") { folder($one); mounted("proc", "/new$one", "proc", 14, 0) }
  elsif ($what eq "tmpfs") { folder($one); mounted("tmpfs", "/new$one", "tmpfs", 6, "size=$with->{size},mode=$with->{perms}") }
  elsif ($what eq "remount-ro") { attributes($one eq "/" ? "/new" : "/new$one", 1, 0) }
  elsif ($what eq "bind") { bound($one, $two, 6, 0) }
  elsif ($what eq "dev") {
    folder($one); mounted("tmpfs", "/new$one", "tmpfs", 2, "mode=755");
    for my $device (qw(null zero full random urandom tty)) { place("/old/dev/null", "$one/$device"); mounted("/old/dev/$device", "/new$one/$device", 0, 0x1000, 0); attributes("/new$one/$device", 10, 0) }
    symlink "/proc/self/fd", "/new$one/fd"; symlink "/proc/self/fd/$_->[0]", "/new$one/$_->[1]" for ([0, "stdin"], [1, "stdout"], [2, "stderr"]);
    mkdir "/new$one/shm"; mkdir "/new$one/pts"; mounted("devpts", "/new$one/pts", "devpts", 10, "newinstance,ptmxmode=0666,mode=620"); symlink "pts/ptmx", "/new$one/ptmx";
  }
  else { next if $what eq "ro-bind-try" && !-e "/old$one"; bound($one, $two, 7, 1) }
}
my $oldRoot = "/old"; must("umount", $UMOUNT, $oldRoot, 2);
chdir "/new" or die; must("pivot_root", $PIVOT_ROOT, $here, $here); must("umount", $UMOUNT, $here, 2); chdir "/" or die;
open(my $filter, "<&=", $set{seccomp}) or die "filter: $!\\n"; binmode $filter; local $/; my $bytes = <$filter>; close $filter;
length $bytes or die "the filter is empty\\n";
syscall($PRCTL, 24, $_, 0, 0, 0) for (0 .. 63);
my ($header, $none) = (pack("LL", 0x20080522, 0), pack("L6", 0, 0, 0, 0, 0, 0)); must("capset", $CAPSET, $header, $none);
must("no_new_privs", $PRCTL, 38, 1);
my $program = pack("Sx6P", length($bytes) / 8, $bytes); must("seccomp", $PRCTL, 22, 2, $program);
syscall($CLOSE, $set{"json-status-fd"} + 0); %ENV = ();
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n";
`;
}
