use FindBin;
require "$FindBin::Bin/shop.pl";

package Merchant;
our @ISA = ("Shop");

# Reads, changes and writes the books while others do.
sub settle {
    my ($self, @rest) = @_;
    select(undef, undef, undef, 0.3);
    return $self->SUPER::settle(@rest);
}

sub transact {
    my ($self, $change) = @_;
    return $self->change($change);
}

Merchant->run;
