# The orders of shop.js in Perl, with the same settings and addresses. Its server has a process for each request, and
# its books are a file under a lock.
package Shop;
use v5.14;
use warnings;
use Digest::SHA qw(hmac_sha256_base64);
use Fcntl qw(:flock);
use File::Temp ();
use HTTP::Tiny ();
use IO::Socket::INET ();
use JSON::PP ();
use MIME::Base64 qw(decode_base64);

my ($OK, $UNAUTHORIZED, $NOT_YET_KNOWN) = (200, 401, 404);
my $JSON = JSON::PP->new->utf8->canonical->allow_nonref;

sub new {
    my ($class, $url) = @_;
    my $books = $ENV{BOOKS} // File::Temp::tempdir(CLEANUP => 1) . "/books";
    (my $key = $ENV{PIX_SANDBOX_SECRET}) =~ s/^whsec_//;
    return bless { url => $url, books => $books, key => decode_base64($key) }, $class;
}

# Reads the orders, lets a change happen, and writes them, while no other process does.
sub transact {
    my ($self, $change) = @_;
    open(my $lock, ">>", "$self->{books}.lock") or die $!;
    flock($lock, LOCK_EX) or die $!;
    return $self->change($change);
}

sub change {
    my ($self, $change) = @_;
    my $orders = $self->orders;
    my $result = $change->($orders);
    open(my $file, ">", "$self->{books}.$$") or die $!;
    print $file $JSON->encode($orders);
    close $file;
    rename("$self->{books}.$$", $self->{books}) or die $!;
    return $result;
}

sub orders {
    my ($self) = @_;
    open(my $file, "<", $self->{books}) or return {};
    local $/;
    return $JSON->decode(<$file>);
}

# Stores the order and its key, then calls the gateway.
sub create {
    my ($self, $cart, $value, $expiration) = @_;
    open(my $random, "<:raw", "/dev/urandom") or die $!;
    read $random, my $bytes, 16;
    my $new = { id => $cart, value => $value, state => "new", credited => 0, transaction => undef,
        key => unpack("H*", $bytes) };
    my $order = $self->transact(sub { $_[0]{$cart} //= $new });
    my $body = $JSON->encode({ value => $value, description => $cart, expiration => $expiration // 240,
        buyer_cpf => "12345678909", buyer_name => "Maria da Silva", buyer_email => 'maria@example.com',
        webhook_url => "$self->{url}/webhooks/pix" });
    for my $pause (0.5, 0.5, 1, 2, 4) {
        last if $order->{state} ne "new";
        my $response = HTTP::Tiny->new(timeout => 15)->post("$ENV{PIX_SANDBOX_URL}/v1/payins", {
            content => $body,
            headers => { "content-type" => "application/json", "x-api-token" => $ENV{PIX_SANDBOX_TOKEN},
                "x-provider-id" => "1", "x-provider" => "My Shop", "x-country-code" => "BR",
                "x-idempotency-key" => $order->{key} },
        });
        my $status = $response->{status};
        my %outcome
            = $status == $OK ? (state => "waiting", transaction => $JSON->decode($response->{content})->{id})
            : $status < 500 && $status != 429 ? (state => "refused")
            :                                   ();
        $order = $self->transact(sub { $_[0]{$cart} = { %{ $_[0]{$cart} }, %outcome } });
        select(undef, undef, undef, $pause) if !%outcome;
    }
    return $order;
}

# The status of the response.
sub receive {
    my ($self, $body, $headers) = @_;
    return $UNAUTHORIZED if !$self->is_genuine($body, $headers);
    my $event = $JSON->decode($body);
    return $OK if $event->{type} ne "payin.paid";
    return $self->transact(sub { $self->settle($event, $_[0]) });
}

sub is_genuine {
    my ($self, $body, $headers) = @_;
    my ($id, $stamp, $signatures) = map { $headers->{"webhook-$_"} // "" } qw(id timestamp signature);
    return 0 if $stamp !~ /^\d+$/ || abs(time - $stamp) > 300;
    my $wanted = "v1," . hmac_sha256_base64("$id.$stamp.$body", $self->{key}) . "=";
    return scalar grep { $_ eq $wanted } split / /, $signatures;
}

sub settle {
    my ($self, $event, $orders) = @_;
    my $order = find($orders, $event->{data}{id}) or return $NOT_YET_KNOWN;
    return $OK if $order->{state} eq "paid" || $event->{data}{value} != $order->{value};
    @$order{qw(state credited)} = ("paid", $order->{credited} + $order->{value});
    return $OK;
}

sub find {
    my ($orders, $name) = @_;
    my ($known) = grep { ($_->{transaction} // "") eq $name } values %$orders;
    return $orders->{$name} // $known;
}

# Starts a shop as the environment describes it.
sub run {
    my ($class) = @_;
    my $port = $ENV{PORT} || 0;
    my $server = IO::Socket::INET->new(
        LocalAddr => "127.0.0.1", LocalPort => $port, Listen => 64, ReuseAddr => 1,
    ) or die $@;
    my $url = "http://127.0.0.1:" . $server->sockport;
    my $shop = $class->new($url);
    local $SIG{CHLD} = "IGNORE";
    STDOUT->autoflush(1);
    say $JSON->encode({ url => $url });
    while (1) {
        my $client = $server->accept or next;
        if (!fork) {
            $shop->serve($client);
            require POSIX;
            POSIX::_exit(0);
        }
    }
}

sub serve {
    my ($self, $client) = @_;
    my (undef, $path) = split / /, <$client> // return;
    my %headers;
    while (defined(my $line = <$client>)) {
        last if $line =~ /^\r?\n$/;
        $headers{ lc $1 } = $2 if $line =~ /^([^:]+):\s*(.*?)\r?\n$/;
    }
    read $client, my $body = "", $headers{"content-length"} // 0;
    my ($status, $shown) = ($OK, {});
    if ($path eq "/orders") {
        my $order = $JSON->decode($body);
        $shown = $self->create(@$order{qw(cart value expiration)});
    } elsif ($path =~ m{^/orders/(.*)}) {
        (my $name = $1) =~ s/%([0-9a-f]{2})/chr hex $1/gie;
        $shown = find($self->orders, $name);
        ($status, $shown) = ($NOT_YET_KNOWN, {}) if !$shown;
    } else {
        $status = $self->receive($body, \%headers);
    }
    my $text = $JSON->encode($shown);
    print $client "HTTP/1.1 $status -\r\ncontent-length: " . length($text) . "\r\nconnection: close\r\n\r\n$text";
    close $client;
}

1;
