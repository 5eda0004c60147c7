# A short session of Perl's DBD::Pg: `perl.pl HOST PORT`.
use strict;
use warnings;
use DBI;

my ($host, $port) = @ARGV;
my $db = DBI->connect("dbi:Pg:dbname=d;host=$host;port=$port", 'u', '', { RaiseError => 1, PrintError => 0 });

sub same {
    my ($got, $wanted) = @_;
    die "$got instead of $wanted\n" unless $got eq $wanted;
}

same($db->selectrow_array('SELECT count(*) FROM orders WHERE o_orderdate < ?', undef, '1995-01-01'), 6866);
same(join(' ', map { $_->{COLUMN_NAME} } @{ $db->column_info(undef, 'public', 'region', '%')->fetchall_arrayref({}) }),
    'r_regionkey r_name r_comment');
same(scalar(grep { /lineitem/ } $db->tables(undef, 'public', '%', 'TABLE')), 1);
$db->begin_work;
$db->do('CREATE TABLE by_perl (a bigint PRIMARY KEY, b text)');
my $insert = $db->prepare('INSERT INTO by_perl VALUES (?, ?)');
$insert->execute(1, "x'\\");
$insert->execute(2, undef);
$db->commit;
same(join(' ', $db->primary_key(undef, 'public', 'by_perl')), 'a');
same($db->selectrow_array('SELECT b FROM by_perl WHERE a = 1'), "x'\\");
$db->do('COPY by_perl FROM STDIN');
$db->pg_putcopydata("3\tz\n");
$db->pg_putcopyend;
same($db->selectrow_array('SELECT count(*) FROM by_perl'), 3);
eval { $db->do('SELECT nope') };
same($db->state, '42703');
$db->do('DROP TABLE by_perl');
$db->disconnect;
