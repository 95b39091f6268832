/**
 * Perl that listens in the network of the process `$pid` on a port of its loopback, and hands every connection to the Unix socket
 * `$path`, where Writ's gate decides. It runs outside the sandbox (inside, the filter refuses Unix sockets), does not interpret
 * the bytes, and dies with the holder. Two processes for a connection, one for each direction: neither waits for the other.
 */
export const gateFunction = `
sub bound_to_parent { syscall($PRCTL, 1, 9, 0, 0, 0) }
sub carry { my ($from, $to) = @_; my $bytes;
  while (sysread($from, $bytes, 65536)) { my $at = 0; while ($at < length $bytes) { my $some = syswrite($to, $bytes, length($bytes) - $at, $at); defined $some or exit 0; $at += $some } }
  shutdown($to, 1); }
sub gate { my ($pid, $port, $path) = @_;
open(my $network, "<", "/proc/$pid/ns/net") or die "network of $pid: $!";
pipe(my $ready, my $tell) or die "pipe: $!";
my $gate = fork(); defined $gate or die "fork: $!";
if (!$gate) {
  bound_to_parent(); syscall($CLOSE, 5); $SIG{CHLD} = "IGNORE"; $SIG{PIPE} = "IGNORE";
  syscall($SETNS, fileno($network), 0x40000000) == 0 or die "setns: $!";
  socket(my $server, 2, 1, 6) or die "socket: $!";
  my $here = pack("S n a4 x8", 2, $port, "\\x7f\\x00\\x00\\x01"); my $tries = 0;
  until (bind($server, $here)) { ++$tries < 300 or die "bind: $!"; select(undef, undef, undef, 0.01) } # its loopback comes up meanwhile
  listen($server, 64) or die "listen: $!"; syswrite($tell, "x"); close $tell;
  while (accept(my $client, $server)) {
    my $one = fork(); if (!defined $one || $one) { close $client; next }
    bound_to_parent(); close $server; $SIG{CHLD} = "DEFAULT";
    socket(my $writ, 1, 1, 0) or exit 1; connect($writ, pack("S a108", 1, $path)) or exit 1;
    my $back = fork(); defined $back or exit 1;
    if (!$back) { bound_to_parent(); carry($writ, $client); exit 0 }
    carry($client, $writ); waitpid($back, 0); exit 0;
  }
  exit 0;
}
close $tell; sysread($ready, my $open, 1) or die "the gate did not open\\n" }
`;
