/**
 * Perl that gives the process namespaces of its own (`$flags`) and dies unless its mounts are then its own, and private: a mount
 * that another process could see, or that stays when this one ends, would be found by whatever clears the folder away.
 */
export const ownMountsFunction = `
sub own_mounts { my ($flags) = @_; my ($none, $top) = ("none", "/");
my $outer = readlink("/proc/self/ns/mnt"); defined $outer or die "mount namespace: $!\\n";
syscall($UNSHARE, $flags) == 0 or die "unshare: $!\\n";
my $inner = readlink("/proc/self/ns/mnt"); defined $inner && $inner ne $outer or die "the mounts are not its own\\n";
syscall($MOUNT, $none, $top, 0, 0x44000, 0) == 0 or die "private mounts: $!\\n" }
`;

/**
 * Perl that shows the folder `$src` at `$dst` with root's files as those of the id `$uid` (group `$gid`). Node cannot make
 * these calls, and `mount` learned them in util-linux 2.39. 428 open_tree, 429 move_mount and 442 mount_setattr have the same
 * numbers everywhere.
 */
export const idmapFunction = `
sub put { open(my $f, ">", $_[0]) or die "$_[0]: $!"; syswrite($f, $_[1]) or die "$_[0]: $!"; close $f }
sub idmap { my ($src, $dst, $uid, $gid) = @_;
pipe(my $ready, my $tell) or die; pipe(my $end, my $stop) or die;
my $pid = fork(); defined $pid or die;
if (!$pid) { close $stop; syscall($UNSHARE, 0x10000000) == 0 or die "unshare: $!"; syswrite($tell, "x"); sysread($end, my $b, 1); exit 0 }
close $tell; sysread($ready, my $b, 1) or die "no user namespace";
put("/proc/$pid/uid_map", "0 $uid 1\\n"); put("/proc/$pid/gid_map", "0 $gid 1\\n");
open(my $ns, "<", "/proc/$pid/ns/user") or die "ns: $!";
my $empty = "";
my $tree = syscall(428, -100, $src, 0x80001); $tree >= 0 or die "open_tree: $!";
my $attr = pack("QQQQ", 0x100000, 0, 0, fileno($ns));
syscall(442, $tree, $empty, 0x1000, $attr, 32) == 0 or die "mount_setattr: $!";
syscall(429, $tree, $empty, -100, $dst, 4) == 0 or die "move_mount: $!";
syscall($CLOSE, $tree); close $stop; waitpid($pid, 0) }
`;
